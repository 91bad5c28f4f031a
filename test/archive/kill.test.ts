/** kill -9 at random moments: every page once in the metadata, every blob whole, caps and rate as if nothing happened. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Scrape } from "../../src/archive/spool/scrape.ts";
import { BlobStore } from "../../src/archive/store/blob-store.ts";
import { type Problem, verifyArchive } from "../../src/archive/store/verify-store.ts";
import { missingPages } from "../../src/archive/store/warc/missing-pages.ts";
import { verifyWarcs, type WarcProblem } from "../../src/archive/store/warc/verify-warcs.ts";
import type { Workspace } from "../../src/archive/workspace.ts";
import { seededRandom } from "../servers/random.ts";
import { archiveAll, linesOf, makeWorkspace, metadataOf, startHost, storedPaths } from "./archiving.ts";
import { killed, killedOnce, requestTimes } from "./killing.ts";

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
  const edges = linesOf(workspace.paths.edgesCsv);
  assert.equal(new Set(edges).size, edges.length, "no edge has two rows");
  const calm = await makeWorkspace(t);
  await archiveAll(calm, host);
  assert.deepEqual(edges.sort(), linesOf(calm.paths.edgesCsv).sort());
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

/** A kill may leave an unfinished record; every page of the metadata is in a WARC. */
async function warcProblems({ paths }: Workspace): Promise<WarcProblem[]> {
  const problems: WarcProblem[] = [];
  await verifyWarcs({ folder: paths.warc, of: paths, onProblem: (problem) => problems.push(problem) });
  return problems.filter(({ kind }) => kind !== "torn_warc");
}

test("crawler and scraper killed in turn: no page is lost, and none has two lines", async (t) => {
  const host = await startHost(t, { repos: 6 });
  const workspace = await makeWorkspace(t, {
    spool: { bookmark_every: 5, rotate_every_mb: 0.002 },
    storage: { warc: true },
  });
  const random = seededRandom(14);
  for (let kill = 0; kill < 12; kill++) {
    const what = kill % 2 === 0 ? "discover" : "scrape";
    await killedOnce(workspace, host, what, 6 + random(8));
    assert.deepEqual(await warcProblems(workspace), [], `after ${kill + 1} kills`);
  }
  await archiveAll(workspace, host, { mode: "discover" });
  const run = await Scrape.start({ workspace, follow: false, reach: host.reach });
  assert.equal((await run.ended).error, null);
  const targets = host.pages.filter((path) => !/^\/(?:topics|trending)/.test(path));
  assert.deepEqual(storedPaths(workspace), [...targets].sort());
  const urls = metadataOf(workspace).map((record) => record.url);
  assert.equal(new Set(urls).size, urls.length, "no URL has two lines");
  // A kill may cost each process what it had in flight: eight requests.
  const asked = [...host.counts()]
    .filter(([path]) => targets.includes(path))
    .reduce((sum, [, count]) => sum + count, 0);
  assert.ok(asked <= targets.length * 2 + 12 * 8 * 2, `${asked} requests for ${targets.length} pages`);
  assert.deepEqual(await warcProblems(workspace), []);
  assert.equal(await missingPages(workspace.paths.warc, workspace.paths.metadata), 0);
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
    const numbered = (type: string) => own.filter(({ page_type, url }) => page_type === type && /\d$/.test(url)).length;
    assert.ok(numbered("issues") <= 4);
    assert.ok(numbered("pull") <= 2);
  }
  const times = requestTimes(workspace);
  assert.ok(times.length >= host.requests().length, "every request has a time");
  // Runs of ten, with room for one: the clocks of two processes may disagree by a little.
  for (let i = 0; i + 10 < times.length; i++) {
    const span = times[i + 10]! - times[i]!;
    assert.ok(span >= interval * 9, `requests ${i} to ${i + 10} were made within ${span} ms`);
  }
});
