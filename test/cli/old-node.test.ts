/** bin/trawl.js on a Node that is too old: it restarts itself with the one that npm installed, and is that process to the outside. */
import assert from "node:assert/strict";
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../src/net/testing/until.ts";
import { startArchiving } from "./archiving.ts";
import { OLD_NODE } from "./old-node.ts";
import { finished, linesOf } from "./trawl.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/trawl.js", import.meta.url));
const NEEDS_PROC = existsSync("/proc/self/stat") ? false : "needs /proc";

const startOld = (typed: string[], env: NodeJS.ProcessEnv = {}): ChildProcessWithoutNullStreams =>
  spawn(OLD_NODE[0]!, [...OLD_NODE.slice(1), PROGRAM, ...typed], { env: { ...process.env, ...env } });

/** The process that a process started. */
const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);

const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

const isStopped = (pid: number): boolean => /^\d+ \(.*\) T/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

/** The demo site's server, through the launcher: runs until it is interrupted. */
async function launched(t: TestContext) {
  const child = startOld(["demo", "--serve", "--port", "0"]);
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return { child, started: childOf(child.pid!) };
}

const endOf = async (child: ChildProcess) => {
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  return { code, signal };
};

/** A site whose first page never comes; the crawl of it has a request in flight. */
async function silentSite(t: TestContext) {
  const asked = Promise.withResolvers<void>();
  const server = createServer(({ url }, response) => {
    if (url === "/robots.txt") response.writeHead(404).end();
    else asked.resolve();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const home = mkdtempSync(join(tmpdir(), "trawl-old-"));
  t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked: asked.promise,
    env: { TRAWL_HOME: home, NO_COLOR: "1" },
  };
}

test("the command runs, and its exit code passes through", async () => {
  const version = await finished(startOld(["--version"]));
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  assert.deepEqual([version.code, version.stderr], [0, ""]);
  assert.equal((await finished(startOld(["no-such-command"]))).code, 2);
});

test("without a newer Node, it says so", async () => {
  const { code, stderr } = await finished(startOld(["--version"], { TRAWL_RESTARTED: "1" }));
  assert.equal(code, 1);
  assert.match(stderr, /Trawl needs Node 24 or newer/);
});

test("SIGINT and SIGTERM end the command as if it ran by itself", { skip: NEEDS_PROC }, async (t) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const { child, started } = await launched(t);
    child.kill(signal);
    assert.deepEqual(await endOf(child), { code: 0, signal: null }, signal);
    assert.equal(isAlive(started), false);
  }
});

test("a signal that ends the command ends the launcher by the same signal", { skip: NEEDS_PROC }, async (t) => {
  for (const signal of ["SIGHUP", "SIGQUIT", "SIGUSR2"] as const) {
    const { child, started } = await launched(t);
    child.kill(signal);
    assert.deepEqual(await endOf(child), { code: null, signal }, signal);
    assert.equal(isAlive(started), false);
  }
  const { child, started } = await launched(t);
  process.kill(started, "SIGKILL");
  assert.deepEqual(await endOf(child), { code: null, signal: "SIGKILL" });
});

test("Ctrl-Z stops both, and they continue together", { skip: NEEDS_PROC }, async (t) => {
  const { child, started } = await launched(t);
  child.kill("SIGTSTP");
  await until(() => isStopped(child.pid!) && isStopped(started));
  child.kill("SIGCONT");
  await until(() => !isStopped(child.pid!) && !isStopped(started));
  child.kill("SIGINT");
  assert.equal((await endOf(child)).code, 0);
});

test("kill -9 of the launcher ends the crawl, which can be resumed", { skip: NEEDS_PROC }, async (t) => {
  const site = await silentSite(t);
  const child = startOld(["crawl", site.url, "--json", "--timeout", "2", "--retries", "0"], site.env);
  await site.asked;
  const started = childOf(child.pid!);
  child.kill("SIGKILL");
  await until(() => !isAlive(started));
  const shown = await finished(startOld(["show", "1", "--json"], site.env));
  assert.equal(JSON.parse(shown.stdout).crawl.state, "paused");
});

test("SIGUSR1 prints the status of an archive, and SIGHUP reloads its settings", { skip: NEEDS_PROC }, async (t) => {
  const { root, reach, set } = await startArchiving(t);
  set({ limits: { req_per_sec: 0.5 } });
  const child = startOld(["archive", "run", "-w", root, "--json", ...reach]);
  t.after(() => child.kill("SIGKILL"));
  const ended = endOf(child);
  for await (const { event, fetched } of linesOf(child)) {
    if (event === "progress" && Number(fetched) > 0) child.kill("SIGUSR1");
    if (event === "status") child.kill("SIGHUP");
    if (event === "reload") break;
  }
  child.kill("SIGINT");
  assert.deepEqual(await ended, { code: 3, signal: null });
});

test("one Ctrl-C in a terminal reaches both processes, and counts once", { skip: NEEDS_PROC }, async (t) => {
  const site = await silentSite(t);
  const command = [...OLD_NODE, PROGRAM, "crawl", site.url, "--timeout", "3", "--retries", "0"];
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const terminal = spawn("script", ["-qec", `exec ${quoted}`, "/dev/null"], { env: { ...process.env, ...site.env } });
  t.after(() => terminal.kill("SIGKILL"));
  let output = "";
  terminal.stdout.on("data", (data) => {
    output += String(data);
  });
  await site.asked;
  terminal.stdin.write("\x03");
  assert.equal((await endOf(terminal)).code, 3);
  assert.match(output, /Pausing; waiting for/);
  assert.doesNotMatch(output, /Stopping at once/);
});
