/** kill -9 at random moments, state in Redis, and two processes that share it. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startRedis, type TestRedis } from "../../src/atproto/state/testing/redis-server.ts";
import { childEnd } from "../servers/child-end.ts";
import { assertWhole, crawlAll, goodDids, makeFolder, startNetwork } from "./crawling.ts";
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

test("two processes share Redis: each has its hosts, and together they have everything once", async (t) => {
  const redis = await redisOf(t);
  if (redis === null) return;
  const network = await startNetwork(t, { accounts: [20, 20, 20, 20, 20, 20], faults: FAULTS });
  const folder = makeFolder(t);
  const children = ["1/2", "2/2"].map((share) =>
    run(network, folder, { redisAddress: redis.address, share, userAgent: `trawl-test share ${share}` }),
  );
  // One of them is killed halfway, and restarted.
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
    "no host is requested by both",
  );
  assert.equal(new Set([...askers.values()].flatMap((agents) => [...agents])).size, 2, "both have work");
});

test("a share whose other half was killed is complete itself, and names the half that is missing", async (t) => {
  const redis = await redisOf(t);
  if (redis === null) return;
  const network = await startNetwork(t, { accounts: [12, 12, 12, 12, 12, 12] });
  const folder = makeFolder(t);
  const shared = (share: string) => ({ redisAddress: redis.address, share, resume: true });
  const half = run(network, folder, shared("2/2"), 5);
  await network.until(6);
  half.kill("SIGKILL");
  await childEnd(half);
  const first = await crawlAll(network, folder, shared("1/2"));
  assert.deepEqual(
    first.end.unread.map(({ source }) => source),
    ["share 2/2"],
  );
  const second = await crawlAll(network, folder, shared("2/2"));
  assert.deepEqual(second.end.unread, []);
  await assertWhole(network, folder);
});
