/** What was refused is not forgotten: it is offered again when settings or robots.txt change. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { archiveStatus } from "../../src/archive/archive-status.ts";
import { openWorkspace, type Workspace } from "../../src/archive/workspace.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { CodeHost } from "../servers/code-host.ts";
import {
  archive,
  archiveAll,
  linesOf,
  makeWorkspace,
  metadataOf,
  startHost,
  storedPaths,
  writeConfig,
} from "./archiving.ts";
import { killed } from "./killing.ts";

type Settings = Parameters<typeof writeConfig>[1];

/** The workspace with other settings. */
function configured(workspace: Workspace, settings: Settings): Workspace {
  writeConfig(workspace.root, settings);
  return openWorkspace(workspace.root, Date.now());
}

/** Archives under strict rules, then under looser ones. Returns what the second run said. */
async function loosened(
  t: TestContext,
  host: CodeHost,
  [strict, loose]: [Settings, Settings],
  seeds?: string[],
): Promise<{ workspace: Workspace; notices: string[]; reopened: number; refusedBefore: number }> {
  const first = await makeWorkspace(t, strict);
  await archiveAll(first, host);
  const refusedBefore = linesOf(first.paths.ledger.refused).length;
  const workspace = configured(first, loose);
  const { crawl, notices } = await archive(workspace, host, seeds === undefined ? {} : { seeds });
  assert.equal((await crawl.ended).error, null);
  return { workspace, notices, reopened: crawl.progress().reopened, refusedBefore };
}

test("a larger max_depth: what was too deep is fetched, and the run says how many URLs that were", async (t) => {
  const host = await startHost(t, { repos: 2 });
  const rules: [Settings, Settings] = [{ caps: { max_depth: 1 } }, { caps: { max_depth: 4 } }];
  const { workspace, notices, reopened, refusedBefore } = await loosened(t, host, rules, []);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  assert.equal(reopened, 3, "two repos and a redirect were too deep");
  assert.deepEqual(notices, ["3 URLs that were refused before are queued now, because the rules have changed."]);
  const root = metadataOf(workspace).find(({ url }) => url.endsWith("/repo-1"))!;
  assert.deepEqual([root.depth, root.referrer], [2, "https://github.com/topics/tides"], "as it was found");
  const refused = linesOf(workspace.paths.ledger.refused).map(
    (line) => JSON.parse(line) as { url: string; reason: string },
  );
  assert.ok(refused.every(({ reason }) => reason !== "max_depth"));
  assert.ok(refused.length > refusedBefore - reopened);
  const status = await archiveStatus(workspace);
  assert.deepEqual(
    [status.frontier, status.refused, status.fetched],
    [0, refused.length, metadataOf(workspace).length],
  );
  const asked = host.requests().length;
  const again = await archiveAll(workspace, host);
  assert.deepEqual([host.requests().length, again.progress().reopened], [asked, 0], "and then nothing is left to do");
});

test("raised caps and patterns", async (t) => {
  const host = await startHost(t, { repos: 2 });
  const caps = await loosened(t, host, [{ caps: { per_repo_max_pages: 5, per_repo_max_issues: 2 } }, {}]);
  assert.deepEqual(storedPaths(caps.workspace), [...host.pages].sort());
  assert.ok(caps.reopened > 0);
  const patterns = await loosened(t, host, [{ scope: { deny_patterns: ["/issues", "[?&]q=", "/tree/"] } }, {}]);
  assert.deepEqual(storedPaths(patterns.workspace), [...host.pages].sort());
});

test("a looser robots.txt, once the old one has expired", async (t) => {
  const host = await startHost(t, {
    repos: 2,
    robots: "User-agent: *\nDisallow: /*/*/issues\nDisallow: /*/*/blob/*/secret\n",
  });
  const workspace = await makeWorkspace(t, { robots: { cache_ttl_sec: 600 } });
  const start = Date.now();
  let ahead = 0;
  const clock = {
    now: () => Date.now() + ahead,
    after: (ms: number, callback: () => void) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
  await archiveAll(workspace, host, { clock });
  assert.ok(storedPaths(workspace).every((path) => !path.includes("/issues")));
  host.setRobots("User-agent: *\nDisallow: /*/*/blob/*/secret\n");
  await archiveAll(workspace, host, { clock, seeds: [] });
  assert.ok(
    storedPaths(workspace).every((path) => !path.includes("/issues")),
    "the old one is still valid",
  );
  ahead = 601_000;
  const crawl = await archiveAll(workspace, host, { clock, seeds: [] });
  assert.equal(crawl.progress().reopened, 2);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  assert.ok(Date.now() >= start);
});

test("refused for another reason than before: the new one is remembered, and counts when its rule changes", async (t) => {
  const host = await startHost(t, { repos: 1 });
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, after: systemClock.after };
  const strict = await makeWorkspace(t, { caps: { max_depth: 2 } });
  await archiveAll(strict, host, { clock });
  const deep = configured(strict, {});
  await archiveAll(deep, host, { clock, seeds: [] });
  const secret = "https://github.com/owner-0/repo-0/blob/main/secret";
  const refused = linesOf(deep.paths.ledger.refused).map((line) => JSON.parse(line) as { url: string; reason: string });
  assert.deepEqual(
    refused.filter(({ url }) => url === secret).map(({ reason }) => reason),
    ["robots_disallow"],
  );
  assert.ok(!refused.some(({ reason }) => reason === "max_depth"));
  assert.equal((await archiveStatus(deep)).refused, refused.length);
  host.setRobots("User-agent: *\nDisallow: /gone/\n");
  ahead = 86_401_000;
  const crawl = await archiveAll(deep, host, { clock, seeds: [] });
  assert.equal(crawl.progress().reopened, 1);
  assert.ok(storedPaths(deep).includes("/owner-0/repo-0/blob/main/secret"));
});

test("a reload while it runs, and kills in the middle", async (t) => {
  const host = await startHost(t, { repos: 8 });
  const strict = await makeWorkspace(t, { caps: { max_depth: 1 } });
  await archiveAll(strict, host);
  const loose = configured(strict, { caps: { max_depth: 0 } });
  await killed(loose, host, 3, () => 12);
  assert.deepEqual(storedPaths(loose), [...host.pages].sort());
  const urls = metadataOf(loose).map(({ url }) => url);
  assert.equal(new Set(urls).size, urls.length, "no URL has two lines");

  const other = await makeWorkspace(t, { caps: { max_depth: 1 }, limits: { req_per_sec: 100 } });
  let run: Awaited<ReturnType<typeof archive>>["crawl"] | null = null;
  const reload = () =>
    run?.reload(configured(other, { caps: { max_depth: 0 }, limits: { req_per_sec: 10_000 } }).settings);
  let records = 0;
  run = (await archive(other, host, { events: { onRecord: () => ++records === 3 && reload() } })).crawl;
  await run.ended;
  assert.deepEqual(storedPaths(other), [...host.pages].sort());
});
