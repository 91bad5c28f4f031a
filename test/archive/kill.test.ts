/** kill -9 at random moments: every page once in the metadata, every blob whole, caps and rate as if nothing happened. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { BlobStore } from "../../src/archive/store/blob-store.ts";
import { type Problem, verifyArchive } from "../../src/archive/store/verify-store.ts";
import type { Workspace } from "../../src/archive/workspace.ts";
import { childEnd } from "../servers/child-end.ts";
import type { CodeHost } from "../servers/code-host.ts";
import { seededRandom } from "../servers/random.ts";
import { archiveAll, linesOf, makeWorkspace, metadataOf, startHost, storedPaths } from "./archiving.ts";

const SCRIPT = fileURLToPath(new URL("run-archive.ts", import.meta.url));

type What = "archive" | "scrape";

function run(workspace: Workspace, host: CodeHost, what: What): ChildProcess {
  const ca = join(workspace.root, "..", "ca.pem");
  writeFileSync(ca, host.reach.ca);
  return spawn(process.execPath, [SCRIPT, workspace.root, String(host.port), ca, timesFile(workspace), what], {
    stdio: ["ignore", "ignore", "pipe"],
  });
}

const timesFile = (workspace: Workspace): string => join(workspace.root, "..", "request-times");

/** When its processes made their requests, in milliseconds. */
const requestTimes = (workspace: Workspace): number[] =>
  readFileSync(timesFile(workspace), "utf8").trim().split("\n").map(Number);

/** Resolves when the host has seen so many more requests, or the process has ended. */
async function untilRequests(child: ChildProcess, host: CodeHost, more: number): Promise<void> {
  await Promise.race([host.until(host.requests().length + more), once(child, "exit")]);
}

/** Kills it `times` times, and then lets it finish. */
async function killed(
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

test("killed 20 times: every allowed page once in the metadata, and every blob verifies", async (t) => {
  const host = await startHost(t, { repos: 40, files: 12, issues: 8, pulls: 4 });
  const workspace = await makeWorkspace(t);
  const random = seededRandom(20261116);
  await killed(workspace, host, 20, () => 10 + random(45));
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  const urls = metadataOf(workspace).map((record) => record.url);
  assert.equal(new Set(urls).size, urls.length, "no URL has two lines");
  assert.deepEqual(linesOf(workspace.paths.ledger.fetched).sort(), urls.sort());
  const depths = metadataOf(workspace).map((record) => record.depth);
  assert.deepEqual(
    depths,
    [...depths].sort((a, b) => a - b),
    "breadth first over restarts",
  );
  const { paths } = workspace;
  const blobs = new BlobStore({
    root: paths.htmlStore,
    recordedRoot: paths.recordedStore,
    compress: false,
    permissions: 0o644,
  });
  const problems: Problem[] = [];
  await verifyArchive({ metadataPath: paths.metadata, blobs, onProblem: (problem) => problems.push(problem) });
  // A page that was stored and not recorded, and the leftover of a write, are what a kill may leave; both are harmless.
  assert.deepEqual(
    problems.filter(({ kind }) => kind !== "orphan" && kind !== "leftover"),
    [],
  );
});

test("a scrape that is killed five times has fetched every discovery once", async (t) => {
  const host = await startHost(t, { repos: 8 });
  const workspace = await makeWorkspace(t, { spool: { bookmark_every: 10 } });
  await archiveAll(workspace, host, { mode: "discover" });
  const random = seededRandom(5);
  await killed(workspace, host, 5, () => 8 + random(10), "scrape");
  const targets = host.pages.filter((path) => !/^\/(?:topics|trending)/.test(path));
  assert.deepEqual(storedPaths(workspace), [...targets].sort());
  const urls = metadataOf(workspace).map((record) => record.url);
  assert.equal(new Set(urls).size, urls.length, "no URL has two lines");
  assert.ok(
    metadataOf(workspace).every((record) => record.referrer !== null),
    "and each knows what led to it",
  );
});

test("caps and rate hold over five kills", async (t) => {
  const interval = 40;
  const host = await startHost(t, { repos: 4, files: 30, issues: 10, pulls: 5 });
  const workspace = await makeWorkspace(t, {
    limits: { req_per_sec: 1000 / interval },
    caps: { per_repo_max_pages: 20, per_repo_max_issues: 4, per_repo_max_prs: 2 },
  });
  await killed(workspace, host, 5, () => 9);
  const records = metadataOf(workspace);
  for (const repo of ["/owner-0/repo-0", "/owner-1/repo-1", "/owner-2/repo-2", "/owner-3/repo-3"]) {
    const own = records.filter((record) => `${record.url}/`.startsWith(`https://github.com${repo}/`));
    assert.equal(own.length, 20, repo);
    assert.ok(own.filter((record) => record.page_type === "issues").length <= 4);
    assert.ok(own.filter((record) => record.page_type === "pull").length <= 2);
  }
  const times = requestTimes(workspace);
  assert.ok(times.length >= host.requests().length, "every request has a time");
  // Runs of ten, with room for one: the clocks of two processes may disagree by a little.
  for (let i = 0; i + 10 < times.length; i++) {
    const span = times[i + 10]! - times[i]!;
    assert.ok(span >= interval * 9, `requests ${i} to ${i + 10} were made within ${span} ms`);
  }
});
