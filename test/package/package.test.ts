/** The package as users install it: bundled, with only those packages next to it that are not in the bundle. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { IN_THREAD_BYTES } from "../../src/atproto/repo/parse-pool.ts";
import { startDemoSite } from "../../src/demo/index.ts";
import { ROOT, runCommand, TSC } from "../../tools/command.ts";
import { installPackage } from "../../tools/install-package.ts";
import { startNetwork } from "../atproto/crawling.ts";
import { OLD_NODE } from "../cli/old-node.ts";
import { linesOf, TRAP_LIMITS, Trawl } from "../cli/trawl.ts";

const folder = mkdtempSync(join(tmpdir(), "trawl-package-"));
let installed: string;
let trawl: Trawl;

before(async () => {
  installed = await installPackage(folder);
  trawl = new Trawl(join(installed, "bin", "trawl.js"));
});

after(() => {
  trawl?.remove();
  rmSync(folder, { recursive: true, force: true });
});

test("it prints its version, and its help lists every command", async () => {
  const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { version: string };
  assert.deepEqual(await trawl.run("--version"), { code: 0, stdout: `${version}\n`, stderr: "" });
  const { stdout } = await trawl.run("--help");
  for (const name of ["crawl", "why", "archive", "atproto", "desktop", "config"]) {
    assert.match(stdout, new RegExp(`^ {2}${name}\\b`, "m"));
  }
});

test("on an older Node it starts with the one that npm installs next to it", async () => {
  const [node, ...flags] = OLD_NODE;
  const typed = [...flags, join(installed, "bin", "trawl.js"), "--version"];
  const { stdout } = await promisify(execFile)(node!, typed);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});

test("it crawls, and its server answers with the web app and with SQL", async () => {
  const { code, lines } = await trawl.json("demo", ...TRAP_LIMITS);
  assert.equal(code, 0);
  assert.equal(lines.at(-1)!["state"], "completed");
  const child = trawl.start("serve", "--port", "0", "--no-update-check", "--json");
  try {
    const { value: line } = await linesOf(child).next();
    const url = String(line!["url"]);
    const authorization = `Bearer ${line!["token"]}`;
    assert.match(await (await fetch(url, { headers: { authorization } })).text(), /<script type="module"/);
    const answer = await fetch(`${url}/api/v1/crawls/${lines[0]!["id"]}/sql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization },
      body: JSON.stringify({ sql: "SELECT count(*) > 5 FROM pages" }),
    });
    assert.deepEqual(((await answer.json()) as { rows: unknown }).rows, [[1]]);
  } finally {
    child.kill("SIGTERM");
  }
});

test("it archives repos that are large enough to be parsed in a thread", async (t) => {
  const network = await startNetwork(t, { plain: true, accounts: [10, 10, 10, 10], records: 300 });
  assert.ok(network.good.some(({ repo }) => repo.car.length > IN_THREAD_BYTES));
  const reach = ["--source", `relay:${network.relay.url}`, "--plc-url", network.plc.url, "--allow-private"];
  const { code, stdout, stderr } = await trawl.run("atproto", "crawl", ...reach);
  assert.equal(code, 0, stderr);
  assert.match(stdout, / 40 repos stored/);
  assert.match((await trawl.run("atproto", "schema")).stdout, /CREATE TABLE IF NOT EXISTS repo_records/);
});

test("both entry points of the library work", async (t) => {
  const site = await startDemoSite();
  t.after(() => site.close());
  const program = join(folder, "program.mjs");
  writeFileSync(
    program,
    `import { crawl, TrawlError } from "trawl";
    import { parseRepo, RepoParseError } from "trawl/atproto";
    const run = crawl(${JSON.stringify(site.url)}, { maxUrls: 3, allowPrivate: true });
    const statuses = [];
    for await (const page of run) statuses.push(page.status);
    const { crawled } = await run.summary;
    const failed = (act) => { try { act(); } catch (error) { return error; } };
    const isKnown = failed(() => parseRepo(new Uint8Array(3), {})) instanceof RepoParseError;
    console.log(JSON.stringify({ status: statuses[0], crawled, isKnown, door: typeof TrawlError }));`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  assert.deepEqual(JSON.parse(stdout), { status: 200, crawled: 3, isKnown: true, door: "function" });
});

test("on a Node that is too old for the library, one sentence says which it needs", async () => {
  const old = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })`;
  const program = join(folder, "old.mjs");
  for (const door of ["trawl", "trawl/atproto"]) {
    writeFileSync(program, `import ${JSON.stringify(door)};`);
    const flags = ["--import", `data:text/javascript,${encodeURIComponent(old)}`, program];
    await assert.rejects(
      promisify(execFile)(process.execPath, flags),
      /Error: Trawl as a library needs Node 22\.15 or newer/,
    );
  }
});

test("it has no syntax that Node 22 cannot read", () => {
  for (const name of globSync("*.js", { cwd: join(installed, "dist") })) {
    const code = readFileSync(join(installed, "dist", name), "utf8");
    assert.doesNotMatch(code, /^\s*(?:await )?using \w+ =/m, name);
  }
});

for (const [resolution, module] of [
  ["nodenext", "nodenext"],
  ["bundler", "preserve"],
]) {
  test(`its types hold in a strict project, resolved as ${resolution}`, async () => {
    const project = join(folder, resolution!);
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
    copyFileSync(new URL("consumer.ts", import.meta.url), join(project, "consumer.ts"));
    // A dependency, so npm installs it: the settings of AT Protocol crawls are typed by it.
    const zod = join(folder, "node_modules", "zod");
    if (!existsSync(zod)) symlinkSync(join(ROOT, "node_modules", "zod"), zod, "junction");
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
      ...{ target: "es2024", lib: ["es2024", "esnext.disposable"], module, moduleResolution: resolution, noEmit: true },
      ...{ types: ["node"], typeRoots: [join(ROOT, "node_modules", "@types")] },
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    const { exitCode, output } = await runCommand([...TSC, "-p", project], { quiet: true });
    assert.equal(exitCode, 0, output);
  });
}

test("it includes the licences of its dependencies", () => {
  const notices = readFileSync(join(installed, "dist", "THIRD-PARTY-NOTICES.md"), "utf8");
  for (const name of ["undici", "zod", "commander", "tldts"]) assert.match(notices, new RegExp(`^## ${name} \\d`, "m"));
});

test("it loads little before it knows the command", () => {
  const loaded = new Map<string, number>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    const code = readFileSync(join(installed, "dist", name), "utf8");
    loaded.set(name, code.length);
    for (const [, other] of code.matchAll(/^(?:import|export)\b[^;]*?"\.\/([^"]+)";$/gm)) load(other!);
  };
  load("cli.js");
  const total = [...loaded.values()].reduce((sum, length) => sum + length, 0);
  assert.ok(loaded.size > 2 && total < 250_000, `${total} characters: ${[...loaded.keys()].join(", ")}`);
});
