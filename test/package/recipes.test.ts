/** The recipes of README.md, run as they are written, with servers on this machine instead of the hosts they name. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { startDemoSite } from "../../src/demo/index.ts";
import { readPage, samplesOf } from "../../tools/doc-samples.ts";
import { startHost, writeConfig } from "../archive/archiving.ts";
import { makeFolder, startNetwork } from "../atproto/crawling.ts";
import { PROGRAM, TRAP_LIMITS, Trawl } from "../cli/trawl.ts";

const [, recipes] = /^## Recipes\n(.*?)^## /ms.exec(readPage("README.md"))!;

/** The recipe below the heading that starts with these words. */
function recipe(title: string): string {
  const section = recipes!.split(/^\*\*/m).find((text) => text.startsWith(title));
  assert.ok(section !== undefined, `README.md has no recipe "${title}"`);
  return samplesOf(section, "sh")[0]!;
}

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
  read: (file: string) => string;
}

/** Runs a recipe with bash; `npx trawl` is this checkout, with `flags` after these commands. */
async function run(t: TestContext, script: string, flags: Record<string, string[]> = {}): Promise<Outcome> {
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  const programs = join(trawl.folder, "programs");
  mkdirSync(programs);
  const cases = Object.entries(flags).map(([command, more]) => `"${command} "*) set -- "$@" ${more.join(" ")} ;;`);
  const npx = `#!/bin/sh\nshift\ncase "$* " in\n${cases.join("\n")}\nesac\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`;
  writeFileSync(join(programs, "npx"), npx);
  chmodSync(join(programs, "npx"), 0o755);
  const env = {
    ...process.env,
    PATH: `${programs}${delimiter}${process.env["PATH"]}`,
    TRAWL_HOME: join(trawl.folder, "home"),
    NO_COLOR: "1",
    PASSWORD: "tide",
    SESSION: "4711",
    npm_command: "",
  };
  return new Promise((resolve) => {
    execFile("bash", ["-e", "-c", script], { cwd: trawl.folder, env }, (error, stdout, stderr) => {
      const read = (file: string): string => readFileSync(join(trawl.folder, file), "utf8");
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr, read });
    });
  });
}

/** Runs a recipe on the demo site. */
async function runOnDemo(t: TestContext, title: string): Promise<Outcome> {
  const site = await startDemoSite({ port: 0 });
  t.after(() => site.close());
  const { host, origin } = new URL(site.url);
  const script = recipe(title).replaceAll("https://example.com", origin).replaceAll("example.com", host);
  return run(t, script, { crawl: TRAP_LIMITS });
}

test("a build fails on audit errors, with a report for the reviewer", async (t) => {
  const { code, read, stderr } = await runOnDemo(t, "Fail a build");
  assert.equal(code, 4, stderr);
  assert.match(read("audit.xml"), /<testsuites/);
  assert.match(read("audit.md"), /Links to broken pages of the site/);
});

test("a site behind a password", async (t) => {
  const { code, stdout, stderr } = await runOnDemo(t, "Crawl a site behind a login");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Done in/);
});

test("a schedule", async (t) => {
  const { code, stdout, stderr } = await runOnDemo(t, "Crawl every night");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /will be crawled at \d{4}-\d\d-\d\d 02:3/);
});

test("titles as JSON lines, and the crawl in SQL", async (t) => {
  const { code, read, stdout, stderr } = await runOnDemo(t, "Get the data");
  assert.equal(code, 0, stderr);
  const [first] = read("pages.jsonl").trim().split("\n");
  assert.deepEqual(Object.keys(JSON.parse(first!)), ["url", "title", "wordCount"]);
  assert.match(stdout, /^ *200 +\d+/m);
});

test("only what changed is downloaded", async (t) => {
  const { code, stdout, stderr } = await runOnDemo(t, "Download only what changed");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /crawled \(\d+ not modified\)/);
});

test("a list of URLs, with the HTML that was sent", async (t) => {
  const { code, stdout, stderr } = await runOnDemo(t, "Fetch a list");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /2 pages/);
});

test("pages of a code host, as a WACZ", async (t) => {
  const host = await startHost(t);
  const folder = makeFolder(t);
  writeFileSync(join(folder, "ca.pem"), host.reach.ca);
  // One request per second is the default.
  writeConfig(folder);
  const flags = ["--connect-to", `github.com:443:127.0.0.1:${host.port}`, "--ca", join(folder, "ca.pem")];
  const script = recipe("Archive pages").replace("npx trawl archive run", `cp ${folder}/archive.yaml w\n$&`);
  const { code, stdout, stderr, read } = await run(t, script, { "archive run": flags });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Done in/m);
  assert.equal(read("pages.wacz").slice(0, 2), "PK");
});

test("the AT Protocol network", async (t) => {
  const network = await startNetwork(t, { plain: true, accounts: [2, 2] });
  const script = recipe("Archive the AT Protocol").replaceAll("https://relay.example", network.relay.url);
  const flags = { "atproto crawl": ["--plc-url", network.plc.url, "--allow-private"] };
  const { code, stdout, stderr } = await run(t, script, flags);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Everything is intact/m);
});
