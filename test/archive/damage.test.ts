/** A workspace that was damaged by hand: reported clearly, repaired, and nothing else is lost. */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Scrape } from "../../src/archive/spool/scrape.ts";
import type { Problem } from "../../src/archive/store/verify-store.ts";
import { checkLedgers, repairWorkspace, verifyWorkspace } from "../../src/archive/verify-workspace.ts";
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

test("a corrupt page, a lost page and a damaged line are found, repaired and fetched again; the rest stays", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host);
  const whole = metadataOf(workspace);
  const [corrupt, lost, scribbled] = whole.slice(3, 6);
  const file = (path: string) => join(workspace.root, "..", path);
  writeFileSync(file(corrupt!.stored_path), "something else");
  rmSync(file(lost!.stored_path));
  const lines = linesOf(workspace.paths.metadata);
  lines[5] = lines[5]!.slice(0, 80);
  writeFileSync(workspace.paths.metadata, `${lines.join("\n")}\n`);
  const problems: Problem[] = [];
  const counts = await verifyWorkspace(workspace, { onProblem: (problem) => problems.push(problem) });
  assert.equal(counts.lines, whole.length);
  assert.deepEqual([...new Set(problems.map(({ kind }) => kind))].sort(), [
    "corrupt_blob",
    "damaged_line",
    "lost_url",
    "missing_blob",
    "orphan",
  ]);
  const { archive: store, ledger } = await repairWorkspace(workspace, { onProblem: () => {} }, Date.now());
  const urls = [corrupt!.url, lost!.url, scribbled!.url].sort();
  assert.deepEqual([...store.reopen].sort(), urls);
  assert.equal(ledger.reopened, 3);
  assert.equal(linesOf(store.damagedFile!).length, 3);
  host.reset();
  await archiveAll(workspace, host);
  assert.deepEqual([...host.counts().keys()].filter((path) => path !== "/robots.txt").sort(), urls.map(pathOf).sort());
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  await verifyWorkspace(workspace, { onProblem: (problem) => assert.fail(JSON.stringify(problem)) });
});

test("a queue that is gone is noticed, since the metadata is there; it comes back without fetching anything twice", async (t) => {
  const host = await startHost(t, { delayMs: 2 });
  const workspace = await makeWorkspace(t, { limits: { global_concurrency: 1, per_host_concurrency: 1 } });
  const { crawl } = await archive(workspace, host);
  await host.until(13);
  await crawl.stop();
  const before = metadataOf(workspace);
  rmSync(join(workspace.root, "state"), { recursive: true });
  const [found] = await checkLedgers(workspace);
  assert.deepEqual([found?.file, found?.line], ["commits.jsonl", 1]);
  for (const seeds of [["https://github.com/topics"], []]) {
    await assert.rejects(archiveAll(workspace, host, { seeds }), {
      code: "ARCHIVE_DAMAGED",
      message: /commits\.jsonl line 1 is missing/,
    });
  }
  assert.deepEqual(metadataOf(workspace), before);
  const { ledger } = await repairWorkspace(workspace, { onProblem: () => {} }, Date.now());
  assert.equal(ledger.restored, before.length);
  assert.deepEqual(await checkLedgers(workspace), []);
  await archiveAll(workspace, host, { seeds: [] });
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  const urls = metadataOf(workspace).map(({ url }) => url);
  assert.equal(new Set(urls).size, urls.length, "no URL has two lines");
});

test("a frontier with a damaged line is refused with file and line, and opens after the repair", async (t) => {
  const host = await startHost(t, { delayMs: 2 });
  const workspace = await makeWorkspace(t, { limits: { global_concurrency: 1, per_host_concurrency: 1 } });
  const { crawl } = await archive(workspace, host);
  await host.until(13);
  await crawl.stop();
  const frontier = readFileSync(workspace.paths.ledger.frontier, "utf8").split("\n");
  const leaf = frontier.findIndex((line, index) => index > 0 && line.includes("/blob/"));
  frontier[leaf] = frontier[leaf]!.slice(0, 30);
  writeFileSync(workspace.paths.ledger.frontier, frontier.join("\n"));
  const [found] = await checkLedgers(workspace);
  assert.deepEqual([found!.file, found!.line], ["frontier.jsonl", leaf + 1]);
  await assert.rejects(archiveAll(workspace, host), {
    code: "ARCHIVE_DAMAGED",
    message: new RegExp(`frontier\\.jsonl.*line ${leaf + 1}\\b`, "s"),
  });
  const { ledger } = await repairWorkspace(workspace, { onProblem: () => {} }, Date.now());
  assert.equal(ledger.damaged.length, 1);
  await archiveAll(workspace, host);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort(), "also what only that line knew");
});

test("what a crash leaves is not damage, and a repair does not make it count: no page is recorded twice", async (t) => {
  const host = await startHost(t, { delayMs: 2 });
  const workspace = await makeWorkspace(t, { limits: { global_concurrency: 1, per_host_concurrency: 1 } });
  const { crawl } = await archive(workspace, host);
  await host.until(13);
  await crawl.stop();
  const { ledger, metadata } = workspace.paths;
  const waiting = linesOf(ledger.frontier).map((line) => (JSON.parse(line) as { url: string }).url);
  await asIfKilled(ledger);
  // Killed after the line was written and before the commit; and in the middle of the next one.
  const last = metadataOf(workspace).at(-1)!;
  appendFileSync(metadata, `${JSON.stringify({ ...last, url: waiting[0] })}\n`);
  appendFileSync(metadata, '{"url":"https://gith');
  appendFileSync(ledger.fetched, `${waiting[0]}\n`);
  appendFileSync(ledger.frontier, '{"url":"https://gith');
  assert.deepEqual(await checkLedgers(workspace), []);
  const problems: Problem[] = [];
  await verifyWorkspace(workspace, { onProblem: (problem) => problems.push(problem) });
  assert.deepEqual(
    problems.map(({ kind }) => kind),
    ["unsettled_line", "unsettled_line"],
  );
  await repairWorkspace(workspace, { onProblem: () => {} }, Date.now());
  await archiveAll(workspace, host);
  const urls = metadataOf(workspace).map(({ url }) => url);
  assert.deepEqual(urls.length, new Set(urls).size);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  await verifyWorkspace(workspace, { onProblem: (problem) => assert.fail(JSON.stringify(problem)) });
});

test("a page that scrape had fetched is fetched again by scrape", async (t) => {
  const host = await startHost(t, { repos: 1 });
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host, { mode: "discover" });
  const scrape = async () => {
    const run = await Scrape.start({ workspace, follow: false, reach: host.reach });
    assert.equal((await run.ended).error, null);
  };
  await scrape();
  const whole = storedPaths(workspace);
  const lost = metadataOf(workspace).find(({ content_sha256: sha256 }) => sha256 !== "")!;
  rmSync(join(workspace.root, "..", lost.stored_path));
  await repairWorkspace(workspace, { onProblem: () => {} }, Date.now());
  host.reset();
  await scrape();
  assert.deepEqual(
    [...host.counts().keys()].filter((path) => path !== "/robots.txt"),
    [pathOf(lost.url)],
  );
  assert.deepEqual(storedPaths(workspace), whole);
});

test("scrape cuts nothing off the metadata that belongs to a queue of run that is damaged or gone", async (t) => {
  const host = await startHost(t, { repos: 2 });
  const workspace = await makeWorkspace(t);
  const { paths } = workspace;
  await archiveAll(workspace, host, { mode: "discover", seeds: ["https://github.com/owner-0/repo-0"] });
  const scrape = async () => {
    const { error } = await (await Scrape.start({ workspace, follow: false, reach: host.reach })).ended;
    if (error !== null) throw error;
  };
  await scrape();
  // As if it had been killed, scrape may have left lines; those of run are no such lines.
  await asIfKilled(paths.scrapeLedger);
  await archiveAll(workspace, host);
  await asIfKilled(paths.scrapeLedger);
  await asIfKilled(paths.ledger);
  const whole = readFileSync(paths.metadata, "utf8");
  const commits = readFileSync(paths.ledger.commits, "utf8");
  const damages: [string, () => void][] = [
    ["cut", () => writeFileSync(paths.ledger.commits, `${commits.split("\n").slice(0, 2).join("\n")}\n`)],
    ["emptied", () => writeFileSync(paths.ledger.commits, "")],
    ["removed", () => rmSync(paths.ledger.commits)],
  ];
  for (const [how, damage] of damages) {
    damage();
    await assert.rejects(scrape(), { code: "ARCHIVE_DAMAGED", message: /commits\.jsonl line \d+ is missing/ }, how);
    assert.equal(readFileSync(paths.metadata, "utf8"), whole, how);
  }
  for (const path of Object.values(paths.ledger)) rmSync(path, { force: true });
  await scrape().catch(() => {});
  assert.equal(readFileSync(paths.metadata, "utf8"), whole, "no file of the queue is left");
  await assert.rejects(archiveAll(workspace, host), {
    code: "ARCHIVE_DAMAGED",
    message: /commits\.jsonl line 1 is missing/,
  });
  assert.deepEqual(
    (await checkLedgers(workspace)).map(({ file, line }) => `${file} ${line}`),
    ["commits.jsonl 1"],
  );
  await repairWorkspace(workspace, { onProblem: () => {} }, Date.now());
  assert.deepEqual(await checkLedgers(workspace), []);
  await archiveAll(workspace, host);
  assert.equal(readFileSync(paths.metadata, "utf8"), whole, "nothing is fetched again");
});
