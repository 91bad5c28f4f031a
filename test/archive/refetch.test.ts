/** URLs that are requested once more: all of them, or those that failed, by status, age, type and pattern. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { archiveStatus } from "../../src/archive/archive-status.ts";
import type { Choice } from "../../src/archive/choice.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Instead } from "../servers/code-host.ts";
import {
  archive,
  archiveAll,
  linesOf,
  makeWorkspace,
  metadataOf,
  pathOf,
  startHost,
  storedPaths,
} from "./archiving.ts";

const BROKEN = "/owner-0/repo-0/blob/main/src/file-1.ts";
const DAY_MS = 86_400_000;

async function setUp(t: TestContext) {
  let instead: (path: string) => Instead | null = () => null;
  const host = await startHost(t, { repos: 2, instead: (path) => instead(path) });
  const workspace = await makeWorkspace(t, { limits: { max_retries: 0 } });
  return {
    host,
    workspace,
    setInstead: (next: typeof instead) => {
      instead = next;
    },
    failed: () =>
      linesOf(join(workspace.root, "state/failed_urls.jsonl")).map((line) => JSON.parse(line).url as string),
    asked: () => [...host.counts().keys()].filter((path) => path !== "/robots.txt").sort(),
  };
}

test("a refresh requests every URL that was fetched, whatever the seeds are now, and follows what is new", async (t) => {
  const { host, workspace, asked } = await setUp(t);
  await archiveAll(workspace, host);
  const before = metadataOf(workspace)
    .map(({ url }) => pathOf(url))
    .sort();
  host.reset();
  const crawl = await archiveAll(workspace, host, { seeds: ["https://github.com/trending"], refresh: true });
  assert.deepEqual(asked(), before);
  assert.equal(crawl.progress().refetching, before.length);
  assert.equal(crawl.progress().fetched, before.length, "nothing is counted twice");
  assert.equal(crawl.metrics.get("not_modified_304"), before.length - 1, "all but a redirect");
  assert.deepEqual(linesOf(workspace.paths.ledger.fetched).map(pathOf).sort(), before, "each URL is there once");
  assert.deepEqual(linesOf(workspace.paths.ledger.frontier), []);
  const [first, second] = [metadataOf(workspace).slice(0, before.length), metadataOf(workspace).slice(before.length)];
  const facts = (records: typeof first) =>
    Object.fromEntries(records.map(({ url, depth, referrer, page_type }) => [url, { depth, referrer, page_type }]));
  assert.deepEqual(facts(second), facts(first), "depth, referrer and type stay");
});

test("a refresh that is interrupted: what waits is what the queue has, and what was fetched before still counts", async (t) => {
  const { host, workspace, setInstead } = await setUp(t);
  await archiveAll(workspace, host);
  const { length } = metadataOf(workspace);
  const half = host.requests().length + Math.floor(length / 2);
  // From there on no page is answered.
  setInstead(() => (host.requests().length > half ? { status: 200, after: new Promise(() => {}) } : null));
  const { crawl } = await archive(workspace, host, { refresh: true });
  await host.until(half + 1);
  await crawl.stop();
  for (let look = 1; look <= 2; look++) {
    const { frontier, fetched, frontierByDepth } = await archiveStatus(workspace);
    const waiting = linesOf(workspace.paths.ledger.frontier).length;
    assert.ok(waiting > 0);
    assert.deepEqual([frontier, fetched], [waiting, length]);
    assert.equal(
      Object.values(frontierByDepth).reduce((sum, one) => sum + one),
      waiting,
    );
    const again = (await archive(workspace, host, { seeds: [] })).crawl;
    const { open, inAll, fetched: settled } = again.progress();
    assert.deepEqual([open, inAll, settled], [waiting, length, length - waiting], "read back");
    await again.stop();
  }
  setInstead(() => null);
  const last = await archiveAll(workspace, host, { seeds: [] });
  assert.deepEqual([last.progress().inAll, (await archiveStatus(workspace)).frontier], [length, 0]);
});

test("a discovery that is interrupted: status says how many URLs wait for it", async (t) => {
  const { host, workspace } = await setUp(t);
  const { crawl } = await archive(workspace, host, { mode: "discover" });
  await host.until(6);
  await crawl.stop();
  const { discovered, discovering, frontier } = await archiveStatus(workspace);
  const { fetched, frontier: queue } = workspace.paths.discoverLedger;
  assert.deepEqual([discovered, discovering, frontier], [linesOf(fetched).length, linesOf(queue).length, 0]);
  assert.ok(discovering > 0);
});

test("by age, type and pattern", async (t) => {
  const { host, workspace, asked } = await setUp(t);
  await archiveAll(workspace, host);
  const now = Math.floor(Date.now() / 1_000);
  const cases: [Choice, RegExp][] = [
    [{ types: ["issues"] }, /\/issues/],
    [{ match: ["/topics*"] }, /^\/topics/],
    [{ match: ["/\\/pull\\/\\d+$/"], types: ["pull"] }, /\/pull\/\d+$/],
    [{ before: now - 86_400 }, /^$/],
  ];
  for (const [choice, pattern] of cases) {
    host.reset();
    await archiveAll(workspace, host, { refetch: [choice] });
    const wanted = new Set(
      metadataOf(workspace)
        .map(({ url }) => pathOf(url))
        .filter((path) => pattern.test(path)),
    );
    assert.deepEqual(asked(), [...wanted].sort(), JSON.stringify(choice));
  }
  host.reset();
  const tomorrow = { now: () => Date.now() + DAY_MS, after: systemClock.after };
  const before = Math.floor(tomorrow.now() / 1_000) - 3_600;
  await archiveAll(workspace, host, { refetch: [{ types: ["topic"], before }], clock: tomorrow });
  assert.deepEqual(asked(), ["/topics", "/topics/nets", "/topics/tides"]);
});

test("what failed is requested again, its pages are stored, and the list of failures says what is left", async (t) => {
  const { host, workspace, setInstead, failed, asked } = await setUp(t);
  const other = "/owner-1/repo-1/issues";
  setInstead((path) => (path === BROKEN ? { status: 500 } : path === other ? { status: 451 } : null));
  const first = await archiveAll(workspace, host);
  assert.deepEqual([first.failures.count, failed().map(pathOf)], [2, [BROKEN, other]]);
  setInstead((path) => (path === other ? { status: 451 } : null));
  host.reset();
  const second = await archiveAll(workspace, host, { refetch: [{ failed: true, statuses: [[500, 599]] }] });
  assert.deepEqual(asked(), [BROKEN]);
  assert.deepEqual([second.failures.count, failed().map(pathOf)], [1, [other]]);
  assert.equal(second.progress().failed, 1);
  setInstead(() => null);
  const third = await archiveAll(workspace, host, { refetch: [{ failed: true }] });
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort(), "with everything that only they lead to");
  assert.deepEqual([third.failures.count, third.progress().failed], [0, 0]);
  assert.ok(!existsSync(join(workspace.root, "state/failed_urls.jsonl")));
  host.reset();
  await archiveAll(workspace, host, { refetch: [{ failed: true }] });
  assert.deepEqual(asked(), []);
});

test("a refresh that is stopped is continued by the next run, and robots.txt that forbids a page now keeps it as it is", async (t) => {
  const { host, workspace, asked } = await setUp(t);
  await archiveAll(workspace, host);
  const urls = metadataOf(workspace).map(({ url }) => url);
  host.reset();
  const half = Promise.withResolvers<void>();
  let records = 0;
  const { crawl } = await archive(workspace, host, {
    refresh: true,
    events: { onRecord: () => void (++records === 5 && half.resolve()) },
  });
  await half.promise;
  await crawl.stop();
  const robots = "User-agent: *\nDisallow: /*/*/blob/*/secret\nDisallow: /*/*/pull\n";
  host.setRobots(robots);
  const later = { now: () => Date.now() + 2 * DAY_MS, after: systemClock.after };
  await archiveAll(workspace, host, { seeds: [], clock: later });
  const again = metadataOf(workspace)
    .slice(urls.length)
    .map(({ url }) => pathOf(url));
  assert.equal(new Set(again).size, again.length, "none is requested twice");
  const isForbidden = (path: string) => /^\/[^/]+\/[^/]+\/pull/.test(path);
  for (const path of urls.map(pathOf)) {
    if (!isForbidden(path)) assert.ok(asked().includes(path), path);
  }
  assert.deepEqual(linesOf(workspace.paths.ledger.frontier), [], "nothing waits");
  assert.equal(readFileSync(workspace.paths.ledger.fetched, "utf8").trim().split("\n").length, urls.length);
});
