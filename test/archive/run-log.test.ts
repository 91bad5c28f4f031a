/** logs/crawler.log over whole runs: what somebody needs to know who was not there. */
import assert from "node:assert/strict";
import { appendFileSync, existsSync } from "node:fs";
import { test } from "node:test";
import { Scrape } from "../../src/archive/spool/scrape.ts";
import { resetWorkspace } from "../../src/archive/workspace.ts";
import { archiveAll, linesOf, makeWorkspace, startHost } from "./archiving.ts";

const SMALL = { repos: 1, files: 1, issues: 1, pulls: 1 };

/** Without times. */
const saidIn = (path: string): string[] => linesOf(path).map((line) => line.slice(25));

test("runs log how they began and ended, what failed, and why a run was refused", async (t) => {
  const broken = "/owner-0/repo-0/issues/1";
  const host = await startHost(t, { ...SMALL, instead: (path) => (path === broken ? { status: 500 } : null) });
  const workspace = await makeWorkspace(t);
  const { paths } = workspace;
  await archiveAll(workspace, host, { software: "trawl/1" });
  const fetched = linesOf(paths.ledger.fetched).length;
  const said = saidIn(paths.crawlerLog);
  assert.equal(said[0], "info  run of github.com, by trawl/1");
  assert.ok(said.includes(`warn  failed: 500 https://github.com${broken} (retries: 3)`), said.join("\n"));
  assert.equal(said.at(-1), `info  run completed: ${fetched} fetched, 1 failed, 0 open`);
  assert.match(linesOf(paths.crawlerLog)[0]!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info {2}/);

  appendFileSync(paths.ledger.frontier, "x\n");
  await assert.rejects(archiveAll(workspace, host), { code: "ARCHIVE_DAMAGED" });
  assert.match(saidIn(paths.crawlerLog).at(-1)!, /^error run failed: .*frontier\.jsonl line 1 is damaged/);
  await resetWorkspace(workspace);
  assert.ok(!existsSync(paths.crawlerLog));
});

test("scrape has a log of its own, and both are rotated", async (t) => {
  const host = await startHost(t, SMALL);
  const workspace = await makeWorkspace(t, { log: { rotate_every_mb: 0.0003, keep: 2, fetches: true } });
  const { paths } = workspace;
  await archiveAll(workspace, host, { mode: "discover" });
  const scrape = await Scrape.start({ workspace, follow: false, reach: host.reach });
  assert.equal((await scrape.ended).error, null);
  for (const path of [paths.crawlerLog, paths.scraperLog]) {
    assert.match(saidIn(path).at(-1)!, /^info {2}run completed: \d+ fetched, 0 failed, 0 open$/);
    assert.ok(existsSync(`${path}.2`) && !existsSync(`${path}.3`), path);
  }
  await resetWorkspace(workspace);
  assert.ok(!existsSync(paths.scraperLog) && !existsSync(`${paths.crawlerLog}.1`));
});
