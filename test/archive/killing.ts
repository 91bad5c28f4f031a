/** An archive or a scrape in a process that is killed again and again. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Workspace } from "../../src/archive/workspace.ts";
import { childEnd } from "../servers/child-end.ts";
import type { CodeHost } from "../servers/code-host.ts";

const SCRIPT = fileURLToPath(new URL("run-archive.ts", import.meta.url));

type What = "archive" | "scrape" | "discover";

function run(workspace: Workspace, host: CodeHost, what: What): ChildProcess {
  const ca = join(workspace.root, "..", "ca.pem");
  writeFileSync(ca, host.reach.ca);
  return spawn(process.execPath, [SCRIPT, workspace.root, String(host.port), ca, timesFile(workspace), what], {
    stdio: ["ignore", "ignore", "pipe"],
  });
}

const timesFile = (workspace: Workspace): string => join(workspace.root, "..", "request-times");

/** When its processes made their requests, in milliseconds. */
export const requestTimes = (workspace: Workspace): number[] =>
  readFileSync(timesFile(workspace), "utf8").trim().split("\n").map(Number);

/** Resolves when the host has seen so many more requests, or the process has ended. */
async function untilRequests(child: ChildProcess, host: CodeHost, more: number): Promise<void> {
  await Promise.race([host.until(host.requests().length + more), once(child, "exit")]);
}

/** Runs it until the host has seen so many more requests, and kills it. True when it ended before that. */
export async function killedOnce(workspace: Workspace, host: CodeHost, what: What, requests: number): Promise<boolean> {
  const child = run(workspace, host, what);
  await untilRequests(child, host, requests);
  if (child.exitCode === null) child.kill("SIGKILL");
  const { code, said } = await childEnd(child);
  assert.ok(code === 0 || code === null, said);
  return code === 0;
}

/** Kills it `times` times, and then lets it finish. */
export async function killed(
  workspace: Workspace,
  host: CodeHost,
  times: number,
  pagesBetween: () => number,
  what: What = "archive",
): Promise<void> {
  let child = run(workspace, host, what);
  for (let kill = 0; kill < times; kill++) {
    await untilRequests(child, host, pagesBetween());
    assert.equal(child.exitCode, null, `it ended before it was killed ${times} times`);
    child.kill("SIGKILL");
    await childEnd(child);
    child = run(workspace, host, what);
  }
  const { code, said } = await childEnd(child);
  assert.equal(code, 0, said);
}
