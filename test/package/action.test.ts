/** The GitHub Action: its own script, run by bash as GitHub would, against the demo site. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parse } from "yaml";
import { startDemoSite } from "../../src/demo/index.ts";
import { ROOT } from "../../tools/command.ts";

interface Step {
  name?: string;
  env?: Record<string, string>;
  run?: string;
}
interface Action {
  inputs: Record<string, { default?: string }>;
  runs: { steps: Step[] };
}

const action = parse(readFileSync(join(ROOT, "action.yml"), "utf8")) as Action;
const crawl = action.runs.steps.find(({ name }) => name === "Crawl")!;

/** Runs the step `Crawl` with these inputs. */
async function runAction(t: TestContext, inputs: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "trawl-action-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const filledIn = (expression: string) =>
    expression.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name) => inputs[name] ?? action.inputs[name]!.default!);
  const env = Object.fromEntries(Object.entries(crawl.env!).map(([name, value]) => [name, filledIn(value)]));
  const summary = join(folder, "summary.md");
  const child = spawn("bash", ["-e", "-o", "pipefail", "-c", crawl.run!], {
    cwd: folder,
    env: {
      ...process.env,
      ...env,
      GITHUB_ACTION_PATH: ROOT,
      GITHUB_STEP_SUMMARY: summary,
      TRAWL_HOME: join(folder, "home"),
      TRAWL_NO_UPDATE_CHECK: "1",
    },
    stdio: "ignore",
  });
  const [code] = await once(child, "close");
  return {
    code,
    summary: readFileSync(summary, "utf8"),
    read: (name: string) => readFileSync(join(folder, name), "utf8"),
  };
}

test("it fails on findings, with a summary and a SARIF file; without fail-on it passes", async (t) => {
  const site = await startDemoSite();
  t.after(() => site.close());
  const failing = await runAction(t, { url: site.url, arguments: "--max-urls 150 --parallelism 8" });
  assert.equal(failing.code, 4);
  assert.match(failing.summary, /Same content as another page/);
  const sarif = JSON.parse(failing.read("trawl.sarif")) as { version: string; runs: { results: unknown[] }[] };
  assert.equal(sarif.version, "2.1.0");
  assert.ok(sarif.runs[0]!.results.length > 0);
  const passing = await runAction(t, { url: site.url, arguments: "--max-urls 30", "fail-on": "" });
  assert.equal(passing.code, 0);
});

test("an address that looks like an option is an address all the same", () => {
  assert.match(crawl.run!, / -- "\$TRAWL_URL" /);
});

test("its script contains no input as text, so that none can become a command", () => {
  for (const { run = "" } of action.runs.steps) assert.doesNotMatch(run, /\$\{\{/);
});
