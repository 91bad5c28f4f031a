/** Helpers for tests that kill crawls: a crawl in a separate process, killed repeatedly, and what must be true afterwards. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { RepoArchive } from "../../src/atproto/rca/read/archive.ts";
import type { AtNetwork, FaultName } from "../servers/at-network.ts";
import { childEnd } from "../servers/child-end.ts";
import { seededRandom } from "../servers/random.ts";
import { assertWhole, goodDids, PATIENT, reachSettings, summaryOf } from "./crawling.ts";

const SCRIPT = fileURLToPath(new URL("run-crawl.ts", import.meta.url));
export const FAULTS: FaultName[] = [
  "notFound",
  "suspended",
  "wrongDid",
  "badRecord",
  "untidy",
  "resetOnce",
  "busyRetryAfter",
];
export const KILLS = 20;

export function run(network: AtNetwork, folder: string, settings: object, speed = 20): ChildProcess {
  const config = {
    source: [`relay:${network.relay.url}`],
    outputDir: join(folder, "rca"),
    // So that segments are finished and begun between kills.
    segmentSize: 20_000,
    resume: true,
    ...PATIENT,
    ...reachSettings(network, folder),
    ...settings,
  };
  return spawn(process.execPath, [SCRIPT, JSON.stringify(config), String(speed)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
}

/** Everything that has an intact block now, in a finished segment or not. */
async function onDisk(folder: string): Promise<Set<string>> {
  const dids = new Set<string>();
  const onDamage = ({ torn, reason, path }: { torn: boolean; reason: string; path: string }) => {
    if (!torn) assert.fail(`${path}: ${reason}`);
  };
  await using archive = await RepoArchive.open(join(folder, "rca"), onDamage);
  for await (const { did } of archive.repos()) dids.add(did);
  return dids;
}

/** The counts over all runs match what is stored: a kill neither loses nor repeats a count. */
export async function assertCounted(folder: string, redisAddress: string | null = null): Promise<void> {
  const counted = { total_crawled: 0, bytes_written: 0 };
  await using archive = await RepoArchive.open(join(folder, "rca"), ({ reason }) => assert.fail(reason));
  for await (const { size } of archive.repos()) {
    counted.total_crawled++;
    counted.bytes_written += size;
  }
  assert.deepEqual((await summaryOf(folder, redisAddress)).stats, counted);
}

interface State {
  settings: { redisAddress?: string };
  /** DIDs that are stored according to the state. */
  stored: () => Promise<string[]>;
}

/** Kills it `KILLS` times, checks it each time, and then lets it finish. */
export async function killed(
  t: TestContext,
  network: AtNetwork,
  folder: string,
  { settings, stored }: State,
): Promise<void> {
  const random = seededRandom(20261116);
  let child = run(network, folder, settings);
  t.after(() => child.kill("SIGKILL"));
  for (let kill = 0; kill < KILLS; kill++) {
    await Promise.race([network.until(1 + random(14)), once(child, "exit")]);
    if (child.exitCode !== null) assert.fail(`it ended after ${kill} kills: ${(await childEnd(child)).said}`);
    // Not only just after a request, but at any moment.
    await new Promise((resolve) => setTimeout(resolve, random(30)));
    child.kill("SIGKILL");
    await childEnd(child);
    const disk = await onDisk(folder);
    for (const did of await stored()) assert.ok(disk.has(did), `${did} is called completed and is not on disk`);
    child = run(network, folder, settings);
  }
  const { code, said } = await childEnd(child);
  assert.equal(code, 0, said);
  await assertWhole(network, folder);
  await assertCounted(folder, settings.redisAddress);
  assert.deepEqual((await stored()).sort(), goodDids(network));
}
