import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CsvLog, csvField } from "./csv-logs.ts";

function fileFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-csv-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "logs", "x.csv");
}

const failed = (error: Error) => assert.fail(error);

test("a CSV log has its header once, and drops a row that a crash cut short", async (t) => {
  const path = fileFor(t);
  const log = await CsvLog.open(path, "a,b", failed);
  log.add([1, "x,y"]);
  log.add([null, 'say "z"']);
  await log.close();
  appendFileSync(path, "3,tor");
  const again = await CsvLog.open(path, "a,b", failed);
  again.add([4, "line\nbreak"]);
  await again.close();
  assert.equal(readFileSync(path, "utf8"), 'a,b\n1,"x,y"\n,"say ""z"""\n4,"line\nbreak"\n');
});

test("rows are handed over before they are many", async (t) => {
  const path = fileFor(t);
  const log = await CsvLog.open(path, "a", failed);
  for (let row = 0; row < 10_000; row++) log.add(["x".repeat(20)]);
  await log.close();
  assert.equal(readFileSync(path, "utf8").split("\n").length, 10_002);
});

test("fields are quoted where they must be", () => {
  for (const [value, text] of [
    ["plain", "plain"],
    ["a\rb", '"a\rb"'],
    [0, "0"],
    [null, ""],
  ] as const) {
    assert.equal(csvField(value), text);
  }
});
