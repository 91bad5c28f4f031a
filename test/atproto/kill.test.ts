/** kill -9 at random moments: every good DID in exactly one block, none called completed that is not on disk. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { RepoArchive } from "../../src/atproto/rca/read/archive.ts";
import { startRedis, type TestRedis } from "../../src/atproto/state/testing/redis-server.ts";
import type { AtNetwork, FaultName } from "../servers/at-network.ts";
import { childEnd } from "../servers/child-end.ts";
import { seededRandom } from "../servers/random.ts";
import { assertWhole, goodDids, makeFolder, PATIENT, reachSettings, startNetwork, summaryOf } from "./crawling.ts";

const SCRIPT = fileURLToPath(new URL("run-crawl.ts", import.meta.url));
const FAULTS: FaultName[] = ["notFound", "suspended", "wrongDid", "badRecord", "untidy", "resetOnce", "busyRetryAfter"];
const KILLS = 20;

function run(network: AtNetwork, folder: string, settings: object, speed = 20): ChildProcess {
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

/** Everything that has a whole block now, finished segment or not. */
async function onDisk(folder: string): Promise<Set<string>> {
  const dids = new Set<string>();
  const onDamage = ({ torn, reason, path }: { torn: boolean; reason: string; path: string }) => {
    if (!torn) assert.fail(`${path}: ${reason}`);
  };
  await using archive = await RepoArchive.open(join(folder, "rca"), onDamage);
  for await (const { did } of archive.repos()) dids.add(did);
  return dids;
}

/** What was counted over all runs is what is there: a kill loses no count, and none is made twice. */
async function assertCounted(folder: string, redisAddress: string | null = null): Promise<void> {
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
  /** DIDs that the state calls stored. */
  stored: () => Promise<string[]>;
}

/** Kills it `KILLS` times, looks each time, and lets it end after that. */
async function killed(t: TestContext, network: AtNetwork, folder: string, { settings, stored }: State): Promise<void> {
  const random = seededRandom(20261116);
  let child = run(network, folder, settings);
  t.after(() => child.kill("SIGKILL"));
  for (let kill = 0; kill < KILLS; kill++) {
    await Promise.race([network.until(1 + random(14)), once(child, "exit")]);
    if (child.exitCode !== null) assert.fail(`it ended after ${kill} kills: ${(await childEnd(child)).said}`);
    // Not only when a request has just come, but anywhere in between.
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

test(`state in SQLite: killed ${KILLS} times`, { timeout: 240_000 }, async (t) => {
  const network = await startNetwork(t, { accounts: [90, 90, 90, 90, 90], faults: FAULTS, pageSize: 25 });
  const folder = makeFolder(t);
  const stored = async (): Promise<string[]> => {
    using db = new DatabaseSync(join(folder, "rca", "state.db"));
    const rows = db.prepare("SELECT did FROM dids WHERE failure IS NULL AND final = 1").all();
    return rows.map((row) => row["did"] as string);
  };
  await killed(t, network, folder, { settings: {}, stored });
});

async function redisOf(t: TestContext): Promise<TestRedis | null> {
  const redis = await startRedis();
  if (redis === null) t.skip("redis-server is not installed");
  else t.after(() => redis.stop());
  return redis;
}

const storedIn = async ({ client }: TestRedis): Promise<string[]> =>
  client.sdiff("crawler:completed", ...(await client.keys("crawler:failed:*")), "crawler:failed:none");

test(`state in Redis: killed ${KILLS} times`, { timeout: 240_000 }, async (t) => {
  const redis = await redisOf(t);
  if (redis === null) return;
  const network = await startNetwork(t, { accounts: [90, 90, 90, 90, 90], faults: FAULTS, pageSize: 25 });
  const folder = makeFolder(t);
  await killed(t, network, folder, { settings: { redisAddress: redis.address }, stored: () => storedIn(redis) });
});

test("two processes share Redis: each has its hosts, and together they have everything once", {
  timeout: 120_000,
}, async (t) => {
  const redis = await redisOf(t);
  if (redis === null) return;
  const network = await startNetwork(t, { accounts: [20, 20, 20, 20, 20, 20], faults: FAULTS });
  const folder = makeFolder(t);
  const children = ["1/2", "2/2"].map((share) =>
    run(network, folder, { redisAddress: redis.address, share, userAgent: `trawl-test share ${share}` }),
  );
  // One of them is killed half way, and begun again.
  await network.until(30);
  children[1]!.kill("SIGKILL");
  await childEnd(children[1]!);
  children[1] = run(network, folder, { redisAddress: redis.address, share: "2/2", userAgent: "trawl-test share 2/2" });
  for (const child of children) {
    const { code, said } = await childEnd(child);
    assert.equal(code, 0, said);
  }
  await assertWhole(network, folder);
  await assertCounted(folder, redis.address);
  assert.deepEqual((await storedIn(redis)).sort(), goodDids(network));
  const askers = new Map<string, Set<string>>();
  for (const { host, did, headers } of network.requests()) {
    if (did === null) continue;
    askers.set(host, (askers.get(host) ?? new Set()).add(String(headers["user-agent"])));
  }
  assert.ok(
    [...askers.values()].every(({ size }) => size === 1),
    "no host is asked by both",
  );
  assert.equal(new Set([...askers.values()].flatMap((agents) => [...agents])).size, 2, "both have work");
});

test("a state that a process has is refused to another", async (t) => {
  const network = await startNetwork(t, { accounts: [200] });
  const folder = makeFolder(t);
  const first = run(network, folder, {}, 1);
  t.after(() => first.kill("SIGKILL"));
  await network.until(1);
  const { code, said } = await childEnd(run(network, folder, {}));
  assert.equal(code, 1);
  assert.match(said, /STATE_BUSY|Another process crawls/);
  first.kill("SIGKILL");
  await childEnd(first);
});
