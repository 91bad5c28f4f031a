/** A disk that really is full (a small tmpfs): the archive pauses, and completes when there is room. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { archiveStatus } from "../../src/archive/archive-status.ts";
import { verifyWorkspace } from "../../src/archive/verify-workspace.ts";
import { configureWorkspace, openWorkspace } from "../../src/archive/workspace.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { isDiskFull } from "../../src/storage/file-system.ts";
import {
  AGENT,
  archive,
  archiveAll,
  linesOf,
  makeWorkspace,
  startHost,
  storedPaths,
  writeConfig,
} from "./archiving.ts";
import { smallDisk } from "./small-disk.ts";

test("no room for a page: nothing is lost, and the archive continues by itself", async (t) => {
  const disk = smallDisk(t, "2m");
  if (disk === null) return t.skip("mounting a tmpfs needs root");
  const host = await startHost(t, { repos: 6, delayMs: 2 });
  const root = join(disk.folder, "workspace");
  mkdirSync(root);
  await configureWorkspace(root, { profile: "github", userAgent: AGENT });
  // A megabyte is kept free for the ledger; pages of 4 kB and the filler take the rest.
  writeConfig(root, { storage: { min_free_mb: 1 }, limits: { global_concurrency: 2, per_host_concurrency: 2 } });
  const clock = {
    now: systemClock.now,
    after: (ms: number, callback: () => void) => systemClock.after(ms === 1_000 ? 5 : ms, callback),
  };
  const changes: string[] = [];
  const paused = Promise.withResolvers<void>();
  const workspace = openWorkspace(root, Date.now());
  const onPause = (reasons: string[]) => {
    changes.push(reasons.join());
    if (reasons.length > 0) paused.resolve();
  };
  const { crawl } = await archive(workspace, host, { clock, events: { onPause } });
  disk.fill(1_000_000);
  await paused.promise;
  const asked = host.requests().length;
  assert.ok(asked < host.pages.length);
  disk.free();
  const { state, error } = await crawl.ended;
  assert.equal(error, null);
  assert.equal(state, "completed");
  assert.deepEqual(changes, ["disk", ""]);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  await verifyWorkspace(workspace, { onProblem: (problem) => assert.fail(JSON.stringify(problem)) });
});

for (const leftBytes of [0, 8_192, 20_000, 60_000, 150_000, 400_000]) {
  test(`a disk with ${leftBytes} bytes left, and no reserve: the run ends paused, and the next one does the rest`, async (t) => {
    const disk = smallDisk(t, "2m");
    if (disk === null) return t.skip("mounting a tmpfs needs root");
    const host = await startHost(t, { repos: 6 });
    const usual = await makeWorkspace(t);
    await archiveAll(usual, host);
    const expectedEdges = linesOf(usual.paths.edgesCsv).slice(1).sort();
    const root = join(disk.folder, "workspace");
    mkdirSync(root);
    await configureWorkspace(root, { profile: "github", userAgent: AGENT });
    writeConfig(root, { storage: { min_free_mb: 0 } });
    const workspace = openWorkspace(root, Date.now());
    disk.fill(leftBytes);
    const notices: string[] = [];
    let kept = { fetched: 0, open: 0 };
    try {
      const { crawl } = await archive(workspace, host, { events: { onNotice: (text) => notices.push(text) } });
      const stopping = setInterval(() => crawl.pauses.length === 0 || void crawl.stop(), 20);
      const { state, error } = await crawl.ended;
      clearInterval(stopping);
      if (error !== null) throw error;
      assert.equal(state, "stopped");
      const { fetched, open, fetchedNow } = crawl.progress();
      kept = { fetched, open };
      assert.equal(fetchedNow, fetched);
    } catch (error) {
      assert.ok(isDiskFull(error), String(error));
    }
    disk.free();
    const status = await archiveStatus(workspace);
    assert.deepEqual({ fetched: status.fetched, open: status.frontier }, kept, "what it said is what it kept");
    const { crawl } = await archive(workspace, host);
    assert.deepEqual(await crawl.ended, { state: "completed", parked: [], error: null });
    assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
    await verifyWorkspace(workspace, {
      onProblem: (problem) => assert.ok(["orphan", "leftover"].includes(problem.kind), JSON.stringify(problem)),
    });
    const edges = linesOf(workspace.paths.edgesCsv).slice(1);
    assert.equal(new Set(edges).size, edges.length, "no edge twice");
    assert.deepEqual(edges.sort(), expectedEdges, "and none missing");
  });
}
