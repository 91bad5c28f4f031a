/** bin/trawl.js on a Node that is too old: it restarts itself with the one that npm installed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { finished } from "./trawl.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/trawl.js", import.meta.url));
const PRETEND = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0" } })`;

const startOld = (typed: string[], env: NodeJS.ProcessEnv) =>
  spawn(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(PRETEND)}`, PROGRAM, ...typed], {
    env: { ...process.env, ...env },
  });

test("the command runs, and its exit code passes through", async () => {
  const version = await finished(startOld(["--version"], {}));
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  assert.deepEqual([version.code, version.stderr], [0, ""]);
  assert.equal((await finished(startOld(["no-such-command"], {}))).code, 2);
});

test("a signal passes through", async () => {
  const child = startOld(["demo", "--serve", "--port", "0"], {});
  const ended = finished(child);
  child.stdout.once("data", () => child.kill("SIGINT"));
  assert.equal((await ended).code, 0);
});

test("without a newer Node, it says so", async () => {
  const { code, stderr } = await finished(startOld(["--version"], { TRAWL_RESTARTED: "1" }));
  assert.equal(code, 1);
  assert.match(stderr, /Trawl needs Node 24 or newer/);
});
