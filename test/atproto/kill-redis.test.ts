/** kill -9 at random moments, state in Redis, and processes that share it. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startRedis, type TestRedis } from "../../src/atproto/state/testing/redis-server.ts";
import type { AtNetwork } from "../servers/at-network.ts";
import { childEnd } from "../servers/child-end.ts";
import { assertWhole, goodDids, makeFolder, startCrawl, startNetwork, whileRunning } from "./crawling.ts";
import { assertCounted, FAULTS, KILLS, killed, run } from "./killing.ts";

async function redisOf(t: TestContext): Promise<TestRedis | null> {
  const redis = await startRedis();
  if (redis === null) t.skip("redis-server is not installed");
  else t.after(() => redis.stop());
  return redis;
}

const storedIn = async ({ client }: TestRedis): Promise<string[]> =>
  client.sdiff("crawler:completed", ...(await client.keys("crawler:failed:*")), "crawler:failed:none");

test(`state in Redis: killed ${KILLS} times`, async (t) => {
  const redis = await redisOf(t);
  if (redis === null) return;
  const network = await startNetwork(t, { accounts: [90, 90, 90, 90, 90], faults: FAULTS, pageSize: 25 });
  const folder = makeFolder(t);
  await killed(t, network, folder, { settings: { redisAddress: redis.address }, stored: () => storedIn(redis) });
});

const agent = (number: number) => ({ userAgent: `trawl-test process ${number}` });

/** Which processes asked each host for a repo. */
function askers(network: AtNetwork): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { host, did, headers } of network.requests()) {
    const names = found.get(host) ?? [];
    const name = String(headers["user-agent"]);
    if (did !== null && names.at(-1) !== name) found.set(host, [...names, name]);
  }
  return found;
}

/** No host was asked by one process, then by another, and then by the first again. */
const assertHandedOver = (network: AtNetwork): void => {
  for (const [host, names] of askers(network)) assert.equal(new Set(names).size, names.length, `${host}: ${names}`);
};

test("processes that share Redis divide the hosts; one that joins late gets its part", async (t) => {
  const redis = await redisOf(t);
  if (redis === null) return;
  const network = await startNetwork(t, { accounts: [40, 40, 40, 40, 40, 40, 40, 40], faults: FAULTS });
  const folder = makeFolder(t);
  const start = (number: number) => run(network, folder, { redisAddress: redis.address, ...agent(number) }, 5);
  const children = [start(1)];
  await network.until(20);
  children.push(start(2), start(3));
  for (const child of children) {
    const { code, said } = await childEnd(child);
    assert.equal(code, 0, said);
  }
  await assertWhole(network, folder);
  await assertCounted(folder, redis.address);
  assert.deepEqual((await storedIn(redis)).sort(), goodDids(network));
  assert.deepEqual(await redis.client.keys("crawler:alive:*"), []);
  assert.deepEqual(await redis.client.keys("crawler:cursor*"), []);
  assertHandedOver(network);
  assert.ok(new Set([...askers(network).values()].flat()).size > 1, "several have work");
});

test("the hosts of a process that is killed are taken over, and all repos are there at the end", async (t) => {
  const redis = await redisOf(t);
  if (redis === null) return;
  const network = await startNetwork(t, { accounts: [20, 20, 20, 20, 20, 20], faults: FAULTS, pageSize: 5 });
  const folder = makeFolder(t);
  const children = [1, 2].map((number) => run(network, folder, { redisAddress: redis.address, ...agent(number) }, 5));
  await network.until(30);
  children[1]!.kill("SIGKILL");
  await childEnd(children[1]!);
  const { code, said } = await childEnd(children[0]!);
  assert.equal(code, 0, said);
  await assertWhole(network, folder);
  await assertCounted(folder, redis.address);
  assert.deepEqual((await storedIn(redis)).sort(), goodDids(network));
  // The first may have had a host before the second joined, so it may get it back; the second has it once.
  for (const [host, names] of askers(network)) {
    assert.ok(names.filter((name) => name.endsWith("2")).length <= 1, `${host}: ${names}`);
  }
});

test("a process that is stopped hands its hosts to the other, and is not called complete", async (t) => {
  const redis = await redisOf(t);
  if (redis === null) return;
  const network = await startNetwork(t, { accounts: [20, 20, 20, 20, 20, 20] });
  const folder = makeFolder(t);
  const runs = await Promise.all([1, 2].map(() => startCrawl(network, folder, { redisAddress: redis.address })));
  await whileRunning(runs[0]!, network.until(20));
  await runs[1]!.crawl.stop();
  assert.equal((await runs[1]!.outcome).end.state, "stopped");
  const { end } = await runs[0]!.outcome;
  assert.deepEqual([end.state, end.error, end.unread], ["completed", null, []]);
  await assertWhole(network, folder);
});
