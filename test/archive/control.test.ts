/** External control while an archive runs: files, a full disk, another config, and stop. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listenToSignals, requestPause, requestStop, withdrawPause } from "../../src/archive/control/watch.ts";
import { readSettings } from "../../src/archive/workspace.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { archive, archiveAll, makeWorkspace, startHost, storedPaths, writeConfig } from "./archiving.ts";

/** Checks the files a hundred times as often. */
const QUICK_LOOKS = {
  now: systemClock.now,
  after: (ms: number, callback: () => void) => systemClock.after(ms === 1_000 ? 10 : ms, callback),
};

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test("pause and stop files: it pauses, continues, ends, and the next run does the rest", async (t) => {
  const host = await startHost(t, { repos: 6, delayMs: 2 });
  const workspace = await makeWorkspace(t, { limits: { global_concurrency: 1, per_host_concurrency: 1 } });
  const { crawl } = await archive(workspace, host, { clock: QUICK_LOOKS });
  await requestPause(workspace.root);
  await until(() => crawl.progress().state === "paused");
  assert.deepEqual(crawl.progress().pauses, ["file"]);
  const asked = host.requests().length;
  crawl.resume();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(crawl.progress().state, "paused", "a user's resume does not override the file");
  assert.equal(host.requests().length, asked);
  assert.deepEqual(await withdrawPause(workspace.root), ["pause.archive"]);
  await host.until(asked + 1);
  writeFileSync(join(workspace.root, "stop.anything"), "");
  const { state } = await crawl.ended;
  assert.equal(state, "stopped");
  assert.equal(host.openSockets(), 0);
  assert.ok(!existsSync(join(workspace.root, "stop.anything")), "a stop is obeyed once");
  const stopped = host.requests().length;
  assert.ok(stopped < host.pages.length);
  await requestStop(workspace.root);
  await archiveAll(workspace, host);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
});

test("almost no space: it pauses, and continues by itself when there is room again", async (t) => {
  const host = await startHost(t, { repos: 4, delayMs: 2 });
  const workspace = await makeWorkspace(t, {
    storage: { min_free_mb: 100 },
    limits: { global_concurrency: 1, per_host_concurrency: 1 },
  });
  let free = 200_000_000;
  let looks = 0;
  const changes: string[][] = [];
  const { crawl } = await archive(workspace, host, {
    clock: QUICK_LOOKS,
    freeBytes: async () => {
      looks++;
      return free;
    },
    events: { onPause: (reasons) => changes.push(reasons) },
  });
  await host.until(6);
  free = 50_000_000;
  await until(() => crawl.progress().state === "paused");
  const asked = host.requests().length;
  free = 105_000_000;
  const looked = looks;
  await until(() => looks > looked + 3);
  assert.equal(host.requests().length, asked, "a little more than the minimum is not enough to continue");
  free = 200_000_000;
  const { state } = await crawl.ended;
  assert.equal(state, "completed");
  assert.deepEqual(changes, [["disk"], []]);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
});

test("another config: some settings apply at once, the others are listed, and an invalid config changes nothing", async (t) => {
  const host = await startHost(t, { repos: 6, delayMs: 2 });
  const workspace = await makeWorkspace(t, { limits: { global_concurrency: 1, per_host_concurrency: 1 } });
  const { crawl } = await archive(workspace, host);
  await crawl.pause();
  writeConfig(workspace.root, {
    limits: { req_per_sec: 5_000, global_concurrency: 2, per_host_concurrency: 1 },
    scope: { deny_patterns: ["/issues", "/pull"] },
  });
  const { applied, later } = crawl.reload(readSettings(workspace.configFile));
  assert.deepEqual(applied, [
    { setting: "scope.deny_patterns", before: null, after: ["/issues", "/pull"] },
    { setting: "limits.req_per_sec", before: 10_000, after: 5_000 },
  ]);
  assert.deepEqual(later, [{ setting: "limits.global_concurrency", before: 1, after: 2 }]);
  writeConfig(workspace.root, { limits: { req_per_sec: 0 } });
  assert.throws(() => readSettings(workspace.configFile), /archive\.yaml is not valid:\nlimits\.req_per_sec/);
  crawl.resume();
  await crawl.ended;
  assert.ok(storedPaths(workspace).every((path) => !path.includes("/issues") && !path.includes("/pull")));
  assert.ok(storedPaths(workspace).includes("/owner-0/repo-0"));
});

test("signals: each has its effect, and all listeners are removed", () => {
  const listeners = new Map<string, () => void>();
  const source = {
    on: (signal: string, listener: () => void) => listeners.set(signal, listener),
    off: (signal: string) => listeners.delete(signal),
  };
  const told: string[] = [];
  const release = listenToSignals(source, {
    reload: () => told.push("reload"),
    status: () => told.push("status"),
  });
  for (const signal of ["SIGHUP", "SIGUSR1"]) listeners.get(signal)!();
  assert.deepEqual(told, ["reload", "status"]);
  release();
  assert.equal(listeners.size, 0);
});
