/** The state in Redis keeps the promises of a cursor ledger, under the names that its predecessor used. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemClock } from "../../kernel/clock.ts";
import { cursorNote } from "../../kernel/ledger.ts";
import { ledgerConformance } from "../../kernel/testing/conformance.ts";
import { cursorProperties } from "../../kernel/testing/cursor-model.ts";
import { CrawlMembers } from "./crawl-members.ts";
import { RedisState } from "./redis-state.ts";
import { startRedis, type TestRedis } from "./testing/redis-server.ts";
import { type Place, stateHarness, TEST_CLASSES } from "./testing/state-harness.ts";
import { statePromises } from "./testing/state-promises.ts";

const redis = await startRedis();

/** Each place is a database of its own in one server, so that tests may run side by side. */
const free = Array.from({ length: 16 }, (_, number) => number);

async function redisPlace({ address }: TestRedis): Promise<Place> {
  const number = free.pop()!;
  let pid = 1;
  const url = `redis://${address}/${number}`;
  const state = () =>
    new RedisState({
      address: url,
      classes: TEST_CLASSES,
      me: { host: "here", pid, token: "t" },
      isAlive: (each) => each === pid,
    });
  return {
    state,
    // The server lives on; what crashed is a process, and the next one has another number.
    async crash() {
      pid++;
    },
    async dispose() {
      const last = state();
      await last.reset();
      await last.close();
      free.push(number);
    },
  };
}

describe("RedisState", { skip: redis === null && "redis-server is not installed" }, () => {
  after(() => redis?.stop());
  const makePlace = () => redisPlace(redis!);
  const makeHarness = async () => stateHarness(await makePlace());
  ledgerConformance("RedisState", makeHarness, "cursor");
  cursorProperties("RedisState", makeHarness, 25);
  statePromises("RedisState", makePlace);

  const stateOf = (pid: number, more = {}) =>
    new RedisState({
      address: redis!.address,
      classes: TEST_CLASSES,
      me: { host: "here", pid, token: `${pid}` },
      isAlive: (each) => each !== 1,
      ...more,
    });

  it("uses the names of its predecessor", async () => {
    await redis!.flush();
    const state = stateOf(2);
    await state.take();
    await state.commit({
      settled: [
        { did: "did:plc:a", failure: null, isFinal: true, detail: null, host: null, retryAt: 0 },
        { did: "did:plc:b", failure: "test", isFinal: true, detail: "gone", host: null, retryAt: 0 },
        { did: "did:plc:c", failure: "other", isFinal: false, detail: null, host: null, retryAt: 0 },
      ],
      lanes: new Map(),
      notes: [cursorNote("clickhouse", "did:plc:c")],
    });
    await state.saveProgress({ stats: { total_crawled: 1, bytes_written: 20 }, segmentNumber: 4 });
    const { client } = redis!;
    assert.deepEqual((await client.smembers("crawler:completed")).sort(), ["did:plc:a", "did:plc:b"]);
    assert.deepEqual(await client.smembers("crawler:failed:test"), ["did:plc:b"]);
    assert.deepEqual(await client.smembers("crawler:failed:other"), ["did:plc:c"]);
    assert.equal(await client.get("crawler:cursor"), "did:plc:c");
    assert.equal(await client.get("crawler:segment_num"), "4");
    assert.deepEqual(await client.hgetall("crawler:stats"), { total_crawled: "1", bytes_written: "20" });
    assert.equal(await client.hget("crawler:details", "did:plc:b"), "gone");
    await state.close();
  });

  it("continues where the Go crawler stopped", async () => {
    await redis!.flush();
    await redis!.client.set("crawler:cursor", "did:plc:m");
    const state = stateOf(2);
    await state.take();
    const { notes } = await state.read();
    assert.equal(notes.get("cursor clickhouse")?.value, "did:plc:m");
    await state.close();
  });

  it("belongs to one process; one that is dead, or was taken over, keeps nobody out", async () => {
    await redis!.flush();
    const first = stateOf(1);
    await first.take();
    const second = stateOf(2);
    await second.take();
    await assert.rejects(first.commit({ settled: [], lanes: new Map(), notes: [cursorNote("a", "1")] }), {
      code: "STATE_BUSY",
    });
    assert.equal(await redis!.client.exists("crawler:cursors"), 0, "nothing of it was done");
    const third = stateOf(3);
    await assert.rejects(third.take(), /Process 2 on here is crawling with this state/);
    for (const state of [first, second, third]) await state.close();
    assert.equal(await redis!.client.exists("crawler:owner"), 0);
  });

  it("is shared by members: each adds to the totals, keeps its own segment number, and only the lists of hosts have cursors", async () => {
    await redis!.flush();
    const names = [2, 3].map((pid) => ({ host: "here", pid, token: `${pid}` }));
    const members = await Promise.all(
      names.map((me) => CrawlMembers.join({ address: redis!.address, clock: systemClock, me, isAlive: () => true })),
    );
    const [one, two] = members.map(({ me: member }) =>
      stateOf(member.pid, { member, isShared: true, segments: `folder ${member.pid}` }),
    ) as [RedisState, RedisState];
    const notes = [cursorNote("pds:https://a.example", "3"), cursorNote("clickhouse", "did:plc:c")];
    for (const [state, bytes_written, segmentNumber] of [[one, 20, 4] as const, [two, 30, 3] as const]) {
      await state.take();
      const progress = { stats: { total_crawled: 1, bytes_written }, segmentNumber };
      await state.commit({ settled: [], lanes: new Map(), notes, progress });
      await state.saveProgress({ stats: { total_crawled: 1, bytes_written }, segmentNumber });
    }
    const all = stateOf(4);
    await assert.rejects(all.take(), /Process [23] on here is crawling with this state/);
    assert.deepEqual(await all.summary(), {
      completed: 0,
      failed: {},
      cursors: { "pds:https://a.example": "3" },
      stats: { total_crawled: 2, bytes_written: 50 },
      segmentNumber: 3,
      isRunning: true,
    });
    assert.deepEqual([(await one.read()).progress.segmentNumber, (await two.read()).progress.segmentNumber], [4, 3]);
    await members[0]!.leave();
    await assert.rejects(one.commit({ settled: [], lanes: new Map(), notes }), { code: "STATE_BUSY" });
    await members[1]!.leave();
    assert.equal((await all.summary()).isRunning, false);
    await all.take();
    const late = { address: redis!.address, clock: systemClock, isAlive: () => true };
    await assert.rejects(CrawlMembers.join(late), /Process 4 on here is crawling with this state/);
    for (const state of [all, one, two]) await state.close();
  });

  it("says which server does not answer, without its password", async () => {
    const state = new RedisState({ address: "redis://:secret@127.0.0.1:1", classes: TEST_CLASSES });
    await assert.rejects(state.take(), (error: Error) => {
      assert.match(error.message, /^Redis at redis:\/\/127\.0\.0\.1:1: connect ECONNREFUSED [^.]*\.0\.0\.1:1\.$/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
    await state.close();
  });
});
