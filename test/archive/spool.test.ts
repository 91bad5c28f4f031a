/** The two halves run separately: a crawl that only discovers, and a scrape that fetches what the store does not have. */
import assert from "node:assert/strict";
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { archiveStatus } from "../../src/archive/archive-status.ts";
import { Scrape, type ScrapeOptions } from "../../src/archive/spool/scrape.ts";
import { replayPages } from "../../src/archive/store/pages-csv.ts";
import type { Workspace } from "../../src/archive/workspace.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { CodeHost } from "../servers/code-host.ts";
import {
  archive,
  archiveAll,
  asIfKilled,
  linesOf,
  makeWorkspace,
  metadataOf,
  pathOf,
  startHost,
  storedPaths,
} from "./archiving.ts";

async function scrape(workspace: Workspace, host: CodeHost, options: Partial<ScrapeOptions> = {}) {
  const notices: string[] = [];
  const events = { onNotice: (text: string) => notices.push(text) };
  const run = await Scrape.start({ workspace, follow: false, reach: host.reach, events, ...options });
  const end = await run.ended;
  if (end.error !== null) throw end.error;
  return { progress: run.progress(), notices, problems: run.problems };
}

const spooled = ({ paths }: Workspace) =>
  readdirSync(paths.spool)
    .sort()
    .flatMap((name) => linesOf(join(paths.spool, name)))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("discover writes the target types to the spool and stores nothing; scrape fetches them", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host, { mode: "discover" });
  assert.deepEqual(metadataOf(workspace), []);
  assert.deepEqual(readdirSync(workspace.paths.htmlStore), []);
  const discoveries = spooled(workspace);
  assert.deepEqual(Object.keys(discoveries[0]!), ["url", "page_type", "depth", "referrer", "discovered_at"]);
  const types = new Set(discoveries.map((discovery) => discovery["page_type"]));
  assert.deepEqual([...types].sort(), ["blob", "issues", "pull", "repo_root"]);
  host.reset();
  const { progress } = await scrape(workspace, host);
  const targets = host.pages.filter((path) => !/^\/(?:topics|trending)/.test(path));
  assert.deepEqual(storedPaths(workspace), [...targets].sort());
  const record = metadataOf(workspace).find(({ url }) => url.endsWith("/owner-0/repo-0/issues/1"))!;
  assert.equal(record.referrer, "https://github.com/owner-0/repo-0/issues");
  assert.equal(record.page_type, "issues");
  assert.equal(record.depth, 4);
  assert.deepEqual(record.metadata, { source: "spool" });
  assert.equal(progress.read, discoveries.length);
  assert.ok([...host.counts().values()].every((count) => count === 1));
  const bookmark = JSON.parse(readFileSync(workspace.paths.bookmark, "utf8")) as { file: string; offset: number };
  assert.deepEqual(Object.keys(bookmark), ["file", "offset"]);
  assert.equal(bookmark.offset, readFileSync(join(workspace.paths.spool, bookmark.file)).length);
});

test("scrape fetches nothing that the unified archive has stored", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t, { spool: { enabled: true } });
  await archiveAll(workspace, host);
  const lines = metadataOf(workspace).length;
  host.reset();
  const { progress } = await scrape(workspace, host);
  // The old name of a repo redirects: no page of it can be in the store.
  assert.deepEqual([...host.counts().keys()], ["/robots.txt", "/old/name"]);
  assert.equal(progress.stored, progress.read - 1);
  assert.equal(metadataOf(workspace).length, lines + 1);
});

test("lines of scrape stay when the archive continues after a crash that left its own lines", async (t) => {
  const host = await startHost(t, { repos: 2 });
  const workspace = await makeWorkspace(t, { spool: { enabled: true } });
  await archiveAll(workspace, host, { seeds: ["https://github.com/owner-0/repo-0"] });
  await asIfKilled(workspace.paths.ledger);
  const before = metadataOf(workspace);
  const unsettled = { ...before[0]!, url: "https://github.com/x/z" };
  appendFileSync(workspace.paths.metadata, `${JSON.stringify(unsettled)}\n{"url":"https://gith`);
  const discovery = { url: "https://github.com/owner-1/repo-1", page_type: "repo_root", depth: 1, referrer: null };
  writeFileSync(join(workspace.paths.spool, "discoveries-9999999999.jsonl"), `${JSON.stringify(discovery)}\n`);
  await scrape(workspace, host);
  const scraped = metadataOf(workspace).filter(({ metadata }) => metadata["source"] === "spool");
  assert.equal(scraped.length, 1);
  await archiveAll(workspace, host, { seeds: ["https://github.com/owner-0/repo-0"] });
  assert.deepEqual(metadataOf(workspace), [...before, ...scraped]);
});

/** Nothing says what was in the spool. */
const fromElsewhere = ({ paths }: Workspace): void => rmSync(paths.spoolSums, { recursive: true });

test("with a damaged bookmark, reading starts at the first file; damaged lines of a spool from elsewhere are skipped", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host, { mode: "discover" });
  fromElsewhere(workspace);
  const [file] = readdirSync(workspace.paths.spool);
  const path = join(workspace.paths.spool, file!);
  writeFileSync(path, `not json\n${readFileSync(path, "utf8")}{"url":"https://github.com/torn`);
  writeFileSync(workspace.paths.bookmark, '{"file":"discover');
  const { progress, notices } = await scrape(workspace, host);
  assert.match(notices.join("\n"), /spool_bookmark\.json is damaged/);
  assert.equal(progress.damaged, 1);
  assert.ok(storedPaths(workspace).includes("/owner-0/repo-0"));
  host.reset();
  writeFileSync(workspace.paths.bookmark, "");
  await scrape(workspace, host);
  assert.deepEqual(
    [...host.counts().keys()].filter((name) => name !== "/robots.txt"),
    [],
  );
});

test("follow: what is added later is fetched, until it is stopped", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t);
  const fetched: string[] = [];
  let seen = () => {};
  const onRecord = ({ url }: { url: string }) => {
    fetched.push(pathOf(url));
    seen();
  };
  const run = await Scrape.start({ workspace, follow: true, reach: host.reach, events: { onRecord } });
  const arrived = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const line = { url: "https://github.com/owner-1/repo-1", page_type: "repo_root", depth: 1, referrer: null };
  writeFileSync(join(workspace.paths.spool, "discoveries-1700000000.jsonl"), `${JSON.stringify(line)}\n`);
  await arrived;
  const end = await run.stop();
  assert.equal(end.error, null);
  assert.deepEqual(fetched, ["/owner-1/repo-1"]);
  assert.equal(host.openSockets(), 0);
  assert.ok(existsSync(workspace.paths.scraperMetricsCsv));
});

test("too large a backlog makes scrape wait, with a notice", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t, { spool: { max_backlog_gb: 0.000_000_1 } });
  writeFileSync(join(workspace.paths.spool, "discoveries-1700000000.jsonl"), `${"x".repeat(200)}\n`);
  const noticed = Promise.withResolvers<string>();
  const events = { onNotice: (text: string) => noticed.resolve(text) };
  const run = await Scrape.start({ workspace, follow: false, reach: host.reach, events });
  assert.match(await noticed.promise, /more than spool\.max_backlog_gb/);
  await run.stop();
  assert.deepEqual(host.requests(), []);
});

const SEED = "https://github.com/owner-0/repo-0";

/** Looks at files, disk and spool a hundred times as often. */
const QUICK_LOOKS = {
  now: systemClock.now,
  after: (ms: number, callback: () => void) => systemClock.after(ms === 1_000 ? 10 : ms, callback),
};

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test("a seed that is a target reaches the spool itself, and scrape stores it", async (t) => {
  const host = await startHost(t, { repos: 1 });
  const workspace = await makeWorkspace(t, { caps: { max_depth: 1 } });
  await archiveAll(workspace, host, { mode: "discover", seeds: [SEED] });
  const [first] = spooled(workspace);
  assert.deepEqual(
    { ...first, discovered_at: 0 },
    { url: SEED, page_type: "repo_root", depth: 0, referrer: null, discovered_at: 0 },
  );
  await scrape(workspace, host);
  assert.ok(storedPaths(workspace).includes(pathOf(SEED)));
  await archiveAll(workspace, host, { mode: "discover", seeds: [SEED] });
  assert.equal(spooled(workspace).filter(({ url }) => url === SEED).length, 1, "and only once");
});

test("a full spool pauses the crawl; scrape makes room, it continues, and nothing is lost", async (t) => {
  const host = await startHost(t, { repos: 12, files: 6 });
  const workspace = await makeWorkspace(t, {
    spool: { budget_gb: 0.000_002, rotate_every_mb: 0.001 },
    limits: { global_concurrency: 1, per_host_concurrency: 1 },
  });
  const changes: string[] = [];
  const { crawl } = await archive(workspace, host, {
    mode: "discover",
    clock: QUICK_LOOKS,
    events: { onPause: (reasons) => changes.push(reasons.join()) },
  });
  let isOver = false;
  const ended = crawl.ended.finally(() => {
    isOver = true;
  });
  await until(() => crawl.progress().state === "paused");
  assert.deepEqual(crawl.progress().pauses, ["spool"]);
  assert.ok((await archiveStatus(workspace)).spool.isFull);
  while (!isOver) {
    if (crawl.progress().state === "paused") await scrape(workspace, host);
    else await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.equal((await ended).state, "completed");
  assert.ok(changes.filter((reasons) => reasons === "spool").length > 3, `it paused for ${changes.join(" | ")}`);
  assert.deepEqual(changes.slice(0, 2), ["spool", ""]);
  await scrape(workspace, host);
  const targets = host.pages.filter((path) => !/^\/(?:topics|trending)/.test(path));
  assert.deepEqual(storedPaths(workspace), [...targets].sort());
  const counts = [...host.counts()].filter(([path]) => targets.includes(path));
  assert.ok(
    counts.every(([, count]) => count === 2),
    "once for its links, once for the store",
  );
});

test("damaged and refused lines are named with file and line, and the metadata of a discovery is kept", async (t) => {
  const host = await startHost(t, { repos: 1 });
  const workspace = await makeWorkspace(t);
  const line = (url: string, more = {}) =>
    `${JSON.stringify({ url, page_type: "repo_root", depth: 1, referrer: null, ...more })}\n`;
  const path = join(workspace.paths.spool, "discoveries-1700000000.jsonl");
  writeFileSync(path, line(SEED, { metadata: { status_code: 200, tags: ["a"] } }));
  await scrape(workspace, host);
  assert.deepEqual(metadataOf(workspace)[0]!.metadata, { status_code: 200, tags: ["a"], source: "spool" });
  appendFileSync(
    path,
    `${line("https://example.com/x")}{"url":3}\nnot json\n${line("https://github.com/owner-0/repo-0/issues")}`,
  );
  const { progress, problems, notices } = await scrape(workspace, host);
  assert.deepEqual([progress.read, progress.refused, progress.damaged], [4, 1, 2]);
  assert.deepEqual(problems.first.map(({ file, line: number, problem }) => [file, number, problem]).sort(), [
    ["discoveries-1700000000.jsonl", 2, "refused"],
    ["discoveries-1700000000.jsonl", 3, "damaged"],
    ["discoveries-1700000000.jsonl", 4, "damaged"],
  ]);
  assert.match(problems.first.find(({ problem }) => problem === "refused")!.why, /^host_not_allowed: /);
  assert.match(notices.join("\n"), /discoveries-1700000000\.jsonl line 3 is damaged/);
  assert.equal(linesOf(problems.file!).length, 3);
  assert.ok(storedPaths(workspace).includes("/owner-0/repo-0/issues"));
});

test("refresh: stored pages are requested again, conditionally", async (t) => {
  const host = await startHost(t, { repos: 1 });
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host, { mode: "discover", seeds: [SEED] });
  await scrape(workspace, host);
  const before = metadataOf(workspace);
  host.reset();
  const { progress } = await scrape(workspace, host, { refresh: true });
  assert.equal(progress.stored, 0);
  const again = metadataOf(workspace).slice(before.length);
  const pages = before.filter(({ content_sha256: sha256 }) => sha256 !== "");
  assert.equal(again.filter(({ http_status: status }) => status === 304).length, pages.length);
  assert.deepEqual(storedPaths(workspace).length, pages.length * 2);
});

test("stop.scraper lets requests in flight end, and is for scrape alone", async (t) => {
  const host = await startHost(t, { repos: 3, delayMs: 60 });
  const workspace = await makeWorkspace(t, { limits: { global_concurrency: 2, per_host_concurrency: 2 } });
  await archiveAll(workspace, host, { mode: "discover" });
  host.reset();
  const records: string[] = [];
  const run = await Scrape.start({
    workspace,
    follow: true,
    reach: host.reach,
    clock: QUICK_LOOKS,
    events: { onRecord: ({ url }) => records.push(pathOf(url)) },
  });
  await host.until(4);
  writeFileSync(join(workspace.root, "stop.crawler"), "");
  writeFileSync(join(workspace.root, "stop.scraper"), "");
  const { state } = await run.ended;
  assert.equal(state, "stopped");
  const asked = [...host.counts().keys()].filter((path) => path !== "/robots.txt");
  assert.deepEqual(records.sort(), asked.sort(), "everything that was requested is in the store");
  assert.deepEqual(metadataOf(workspace).length, asked.length);
  assert.ok(existsSync(join(workspace.root, "stop.crawler")), "that one is for another process");
});

test("pages-<run>.csv has the bytes that a replay gives, and the counts have the scraper's names", async (t) => {
  const host = await startHost(t, { repos: 1, faults: true });
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host, { mode: "discover" });
  await scrape(workspace, host);
  const { pagesCsv, metadata, scraperMetricsCsv } = workspace.paths;
  const written = readFileSync(pagesCsv, "utf8");
  const replayed = join(workspace.root, "replayed.csv");
  await replayPages(replayed, { metadataPath: metadata, onDamaged: ({ why }) => assert.fail(why) });
  assert.equal(written, readFileSync(replayed, "utf8"));
  const counts = new Map(
    linesOf(scraperMetricsCsv)
      .slice(1)
      .map((line) => line.split(",").slice(1) as [string, string]),
  );
  for (const name of [
    "pages_fetched",
    "pages_saved",
    "bytes_saved",
    "status_2xx",
    "not_modified_304",
    "not_html",
    "fetch_fail",
  ])
    assert.ok(counts.has(name), name);
  assert.equal(Number(counts.get("pages_saved")), storedPaths(workspace).length);
});

test("a bookmark that is ahead of what was read skips nothing", async (t) => {
  const host = await startHost(t, { repos: 2 });
  const workspace = await makeWorkspace(t, { spool: { rotate_every_mb: 0.001 } });
  await archiveAll(workspace, host, { mode: "discover" });
  fromElsewhere(workspace);
  const files = readdirSync(workspace.paths.spool).sort();
  const later = files.splice(1).map((name) => ({ name, bytes: readFileSync(join(workspace.paths.spool, name)) }));
  for (const { name } of later) rmSync(join(workspace.paths.spool, name));
  await scrape(workspace, host);
  for (const { name, bytes } of later) writeFileSync(join(workspace.paths.spool, name), bytes);
  writeFileSync(workspace.paths.bookmark, JSON.stringify({ file: later.at(-1)!.name, offset: 0 }));
  const { notices } = await scrape(workspace, host);
  assert.match(notices.join("\n"), /ahead of what was read/);
  const targets = host.pages.filter((path) => !/^\/(?:topics|trending)/.test(path));
  assert.deepEqual(storedPaths(workspace), [...targets].sort());
});
