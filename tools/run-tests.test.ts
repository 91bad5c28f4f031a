import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { runCommand, script } from "./command.ts";
import { findTests, type RunTestsOptions } from "./run-tests.ts";
import { countsOf } from "./test-report.ts";
import type { FileResult } from "./test-results.ts";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "trawl-run-tests-"));
});
after(() => rm(folder, { recursive: true }));

async function writeTest(name: string, source: string): Promise<string> {
  const path = join(folder, `${name}.test.mjs`);
  await writeFile(path, `import { test } from "node:test";\n${source}`);
  return path;
}

/** Node refuses to run tests inside a test, which it recognizes by this variable. */
const env = { NODE_TEST_CONTEXT: undefined };

async function results(name: string, source: string, limits: Partial<RunTestsOptions> = {}): Promise<FileResult[]> {
  const path = await writeTest(name, source);
  const options = { concurrency: 2, testMs: 50_000, fileMs: 60_000, ...limits };
  const program = `
    import { runTests } from ${JSON.stringify(join(import.meta.dirname, "run-tests.ts"))};
    const results = await runTests([${JSON.stringify(path)}], { ...${JSON.stringify(options)}, onFile: () => {} });
    console.log(JSON.stringify(results));`;
  // A file, not --eval: the runner passes its own flags on to the test processes.
  const programPath = join(folder, `${name}.mjs`);
  await writeFile(programPath, program);
  return JSON.parse((await runCommand(script(programPath), { quiet: true, env })).output) as FileResult[];
}

test("each file is found once, even if several patterns match it", () => {
  const name = "tools/run-tests.test.ts";
  assert.deepEqual(findTests([`./${name}`, "tools/run-tests.*.ts", name]), [name]);
});

test("passed, failed and skipped tests of a file are counted", async () => {
  const source = 'test("a", () => {}); test("b", () => { throw new Error("boom"); }); test("c", { skip: "why" });';
  assert.deepEqual(countsOf(await results("counts", source)), { passed: 1, failed: 1, skipped: 1 });
});

test("a file that cannot be loaded fails, and its output is shown", async () => {
  const [result] = await results("broken", 'throw new Error("cannot start");');
  assert.equal(result!.failures.length, 1);
  assert.match(result!.output, /cannot start/);
});

test("a file that leaves something open is killed and fails", async () => {
  const source = 'test("a", () => {}); setInterval(() => {}, 1000);';
  // On a busy machine the file may be killed before its test has begun: then it is run again with a longer limit.
  for (let fileMs = 3_000; ; fileMs *= 4) {
    const [result] = await results("open", source, { fileMs });
    assert.equal(result!.failures.length, 1);
    if (result!.passed === 1) break;
    assert.ok(fileMs < 100_000, "its test never passed");
  }
});

test("the last line of the output contains only the counts, and the exit code matches", async () => {
  const good = await writeTest("good", 'test("a", () => {});');
  const bad = await writeTest("bad", 'test("b", () => { throw new Error("boom"); });');
  const run = (...files: string[]) => runCommand(script("tools/test.ts", ...files), { quiet: true, env });
  const fine = await run(good);
  assert.equal(fine.exitCode, 0, fine.output);
  assert.match(fine.output, /\n1 passed, 0 failed, 0 skipped\n$/);
  const broken = await run(good, bad);
  assert.equal(broken.exitCode, 1);
  assert.match(broken.output, /boom/);
  assert.match(broken.output, /\n1 passed, 1 failed, 0 skipped\n$/);
  const slip = await run(good, "no/such/*.test.ts");
  assert.equal(slip.exitCode, 1);
  assert.match(slip.output, /No test file matches no\/such/);
});
