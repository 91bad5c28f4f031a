/** A disk that really is full (a small tmpfs): the archive pauses, and completes when there is room. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { verifyWorkspace } from "../../src/archive/verify-workspace.ts";
import { configureWorkspace, openWorkspace } from "../../src/archive/workspace.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { isDiskFull } from "../../src/storage/file-system.ts";
import { AGENT, archive, startHost, storedPaths, writeConfig } from "./archiving.ts";

/** Null where this process may not mount. */
function smallDisk(t: TestContext): string | null {
  const folder = mkdtempSync(join(tmpdir(), "trawl-small-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  t.after(() => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

test("no room for a page: nothing is lost, and the archive continues by itself", async (t) => {
  const disk = smallDisk(t);
  if (disk === null) return t.skip("mounting a tmpfs needs root");
  const host = await startHost(t, { repos: 6, delayMs: 2 });
  const root = join(disk, "workspace");
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
  writeFileSync(join(disk, "filler"), Buffer.alloc(700_000));
  await paused.promise;
  const asked = host.requests().length;
  assert.ok(asked < host.pages.length);
  rmSync(join(disk, "filler"));
  const { state, error } = await crawl.ended;
  assert.equal(error, null);
  assert.equal(state, "completed");
  assert.deepEqual(changes, ["disk", ""]);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  await verifyWorkspace(workspace, { onProblem: (problem) => assert.fail(JSON.stringify(problem)) });
});

for (const leftBytes of [0, 150_000, 400_000]) {
  test(`a disk with ${leftBytes} bytes left, and no reserve: the run ends paused, and the next one does the rest`, async (t) => {
    const disk = smallDisk(t);
    if (disk === null) return t.skip("mounting a tmpfs needs root");
    const host = await startHost(t, { repos: 6 });
    const root = join(disk, "workspace");
    mkdirSync(root);
    await configureWorkspace(root, { profile: "github", userAgent: AGENT });
    writeConfig(root, { storage: { min_free_mb: 0 } });
    const workspace = openWorkspace(root, Date.now());
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "filler"), Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
    const notices: string[] = [];
    try {
      const { crawl } = await archive(workspace, host, { events: { onNotice: (text) => notices.push(text) } });
      const stopping = setInterval(() => crawl.pauses.length === 0 || void crawl.stop(), 20);
      const { state, error } = await crawl.ended;
      clearInterval(stopping);
      assert.deepEqual([state, error], ["stopped", null]);
    } catch (error) {
      assert.ok(isDiskFull(error), String(error));
    }
    rmSync(join(disk, "filler"));
    const { crawl } = await archive(workspace, host);
    assert.deepEqual(await crawl.ended, { state: "completed", parked: [], error: null });
    assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
    await verifyWorkspace(workspace, {
      onProblem: (problem) => assert.ok(["orphan", "leftover"].includes(problem.kind), JSON.stringify(problem)),
    });
  });
}
