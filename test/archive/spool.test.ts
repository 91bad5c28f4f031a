/** The two halves run separately: a crawl that only discovers, and a scrape that fetches what the store does not have. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Scrape, type ScrapeOptions } from "../../src/archive/spool/scrape.ts";
import type { Workspace } from "../../src/archive/workspace.ts";
import type { CodeHost } from "../servers/code-host.ts";
import { archiveAll, linesOf, makeWorkspace, metadataOf, pathOf, startHost, storedPaths } from "./archiving.ts";

async function scrape(workspace: Workspace, host: CodeHost, options: Partial<ScrapeOptions> = {}) {
  const notices: string[] = [];
  const events = { onNotice: (text: string) => notices.push(text) };
  const run = await Scrape.start({ workspace, follow: false, reach: host.reach, events, ...options });
  const end = await run.ended;
  if (end.error !== null) throw end.error;
  return { progress: run.progress(), notices };
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
  await scrape(workspace, host);
  const [first] = metadataOf(workspace);
  const scraped = { ...first!, url: "https://github.com/x/y", metadata: { source: "spool" } };
  const unsettled = { ...first!, url: "https://github.com/x/z" };
  const before = readFileSync(workspace.paths.metadata, "utf8");
  writeFileSync(workspace.paths.metadata, `${before}${JSON.stringify(unsettled)}\n${JSON.stringify(scraped)}\n`);
  await archiveAll(workspace, host, { seeds: ["https://github.com/owner-0/repo-0"] });
  const urls = metadataOf(workspace).map((record) => record.url);
  assert.ok(urls.includes("https://github.com/x/y") && !urls.includes("https://github.com/x/z"));
});

test("with a damaged bookmark, reading starts at the first file; damaged lines are skipped", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host, { mode: "discover" });
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
