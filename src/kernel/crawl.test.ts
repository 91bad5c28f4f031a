/** The crawl loop: what it visits, when it is complete, and how it waits. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Found, Task } from "./task.ts";
import { drain, FakeClock } from "./testing/fake-clock.ts";
import { type GraphRecord, laneOf } from "./testing/graph-product.ts";
import { MemoryLedger } from "./testing/memory-ledger.ts";
import { randomOf } from "./testing/random.ts";
import { aFound } from "./testing/samples.ts";
import { linksOf, randomGraph, simulate, simulation } from "./testing/simulate.ts";

const graph = randomGraph(3, 300, 4);
const start = [graph.keys[0]!];
const links = linksOf(graph);
const latency = (task: Task) => 1 + randomOf(1, task.key) * 100;
const sorted = (keys: Iterable<string>) => [...keys].sort();

describe("a crawl", () => {
  it("visits everything that can be reached, once, and leaves nothing behind", async () => {
    const { end, clock, crawl, ledger, product } = await simulate({ links, start, latency });
    assert.deepEqual(end, { state: "completed", parked: [], error: null });
    assert.deepEqual(sorted(product.visits.map(({ key }) => key)), sorted(graph.keys));
    assert.deepEqual(sorted(ledger.records.map(({ record }) => record.key)), sorted(graph.keys));
    assert.equal(crawl.state, "completed");
    assert.equal(clock.timers, 0, "no timer is left running");
    assert.equal(product.closed, true);
    assert.equal(ledger.closed, true);
  });

  it("counts as the ledger does: open is admitted less settled", async () => {
    const answer = (task: Task) => (randomOf(4, task.key) < 0.3 && task.id > 1 ? { result: "failed" as const } : {});
    const nofollow = (task: Task) =>
      links(task).map((key) => ({ key, meta: { via: 0, kind: randomOf(5, task.key + key) < 0.3 ? 1 : 0 } }));
    const { crawl, ledger } = await simulate({ links: nofollow, start, latency, answer, maxTasks: 60, maxPerLane: 18 });
    const count = (check: (row: (typeof ledger.rows)[number]) => boolean) => ledger.rows.filter(check).length;
    const { meters } = crawl;
    assert.equal(meters.open, 0);
    assert.equal(
      meters.admitted,
      count((row) => row.verdict.action === "crawl"),
    );
    assert.equal(
      meters.done,
      count((row) => row.state === "done"),
    );
    assert.equal(
      meters.failed,
      count((row) => row.state === "failed"),
    );
    assert.ok(meters.failed > 0 && meters.done > 0);
    assert.equal(meters.settled, meters.done + meters.failed);
    assert.equal(meters.discovered, ledger.rows.length);
    assert.equal(
      meters.recorded,
      count((row) => row.verdict.action === "record"),
    );
    assert.equal(
      meters.skipped,
      count((row) => row.verdict.action === "skip"),
    );
    for (const reason of ["MAX_TASKS", "MAX_PER_LANE", "NOFOLLOW"]) {
      assert.ok(meters.reasons.get(reason)! > 0, reason);
      assert.equal(
        meters.reasons.get(reason),
        count((row) => row.verdict.reason === reason),
        reason,
      );
    }
  });

  it("of nothing is complete", async () => {
    const { end, clock } = await simulate({ links, start: [] });
    assert.equal(end.state, "completed");
    assert.equal(clock.timers, 0);
  });

  it("that was complete is complete when it is started again, and visits nothing", async () => {
    const first = await simulate({ links, start, latency });
    const again = await simulate({ links, start, latency, ledger: first.ledger.crash() });
    assert.equal(again.end.state, "completed");
    assert.deepEqual(again.product.visits, []);
    assert.deepEqual({ ...again.crawl.meters }, { ...first.crawl.meters, settledNow: 0 });
  });

  it("keeps within its parallelism, and within each lane's", async () => {
    const policy = (lane: string) => ({ concurrency: lane === "lane1" ? 1 : 3 });
    const { product } = await simulate({ links, start, latency, policy, limits: { parallelism: 7 } });
    assert.equal(product.mostFlying, 7);
    assert.deepEqual(Object.fromEntries(product.mostPerLane), { lane0: 3, lane1: 1, lane2: 3, lane3: 3 });
  });

  it("remembers notes", async () => {
    const first = await simulate({
      links,
      start,
      onPerform: (task, context) => context.note({ key: task.key, value: "seen" }),
    });
    const again = await simulate({ links, start, ledger: first.ledger.crash() });
    assert.equal(again.product.notes.length, graph.keys.length);
  });

  it("does not commit for every task, but neither keeps them for long", async () => {
    const { ledger } = await simulate({ links, start, latency, limits: { parallelism: 50 } });
    assert.ok(ledger.commits < 60, `${ledger.commits} commits`);
    assert.ok(ledger.commits > 5, `${ledger.commits} commits`);
  });

  it("waits for a slow disk instead of piling up", async () => {
    const clock = new FakeClock();
    const ledger = new MemoryLedger<GraphRecord>({ delay: () => clock.sleep(400) });
    const commit = ledger.commit.bind(ledger);
    let underWay = 0;
    let most = 0;
    ledger.commit = async (batch) => {
      most = Math.max(most, ++underWay);
      await commit(batch);
      underWay--;
    };
    const limits = { commit: { settled: 5, admitted: 50, ms: 5, pending: 2 } };
    const { end } = await simulate({ links, start, clock, ledger, limits });
    assert.equal(end.state, "completed");
    assert.equal(ledger.records.length, graph.keys.length);
    assert.ok(most <= 4, `${most} commits under way`);
  });
});

describe("retries", () => {
  it("come back when their time has come, with their attempts counted, and are recorded once", async () => {
    const retriesOf = (key: string) => Math.floor(randomOf(6, key) * 3);
    const clock = new FakeClock();
    const dueAt = new Map<string, number>();
    const { end, product, ledger, crawl } = await simulate({
      links,
      start,
      latency,
      clock,
      onPerform: (task) => {
        assert.equal(task.notBefore, dueAt.get(task.key) ?? 0);
        assert.ok(clock.now() >= task.notBefore, "not before its time");
      },
      answer: (task) => {
        if (task.attempt >= retriesOf(task.key)) return {};
        const retryAt = clock.now() + 5_000 * (task.attempt + 1);
        dueAt.set(task.key, retryAt);
        return { result: "retry", retryAt, signal: { kind: "neutral" } };
      },
    });
    assert.equal(end.state, "completed");
    assert.deepEqual(sorted(ledger.records.map(({ record }) => record.key)), sorted(graph.keys));
    for (const key of graph.keys) {
      const attempts = product.visits.filter((visit) => visit.key === key).map((visit) => visit.attempt);
      assert.deepEqual(
        attempts,
        Array.from({ length: 1 + retriesOf(key) }, (_, i) => i),
        key,
      );
    }
    assert.equal(crawl.meters.retries, product.visits.length - graph.keys.length);
  });
});

describe("a verdict turned at settling", () => {
  it("counts the task as what it became, and the crawl is complete", async () => {
    const verdict = { action: "record", reason: "ROBOTS", rule: "Disallow: /" } as const;
    const answer = (task: Task) => (task.id % 3 === 0 ? { result: "failed" as const, verdict } : {});
    const { end, crawl, ledger } = await simulate({ links, start, answer });
    assert.equal(end.state, "completed");
    assert.equal(crawl.meters.open, 0);
    const overruled = ledger.rows.filter((row) => row.verdict.reason === "ROBOTS");
    assert.ok(overruled.length > 5);
    assert.ok(overruled.every((row) => row.state === null));
    assert.equal(crawl.meters.recorded, overruled.length);
    assert.equal(crawl.meters.reasons.get("ROBOTS"), overruled.length);
  });
});

describe("sources", () => {
  const batches = (count: number, size: number, read: { batches: number }) =>
    (async function* (): AsyncGenerator<Found[]> {
      for (let i = 0; i < count; i++) {
        read.batches++;
        yield Array.from({ length: size }, (_, j) => aFound(`source/${i * size + j}`));
      }
    })();

  it("are read while fewer tasks than the high-water mark are open, and to their end", async () => {
    const read = { batches: 0 };
    let mostOpen = 0;
    const sim = simulation({
      links: () => [],
      sources: () => [batches(100, 10, read)],
      limits: { highWater: 30, parallelism: 5 },
      onPerform: () => {
        mostOpen = Math.max(mostOpen, sim.crawl.meters.open);
      },
    });
    await sim.crawl.start();
    await sim.clock.until(() => sim.product.visits.length > 0);
    assert.equal(read.batches, 3);
    const end = await sim.clock.settle(sim.crawl.ended);
    assert.equal(end.state, "completed");
    assert.equal(sim.ledger.records.length, 1_000);
    assert.ok(mostOpen < 30 + 10, `${mostOpen} were open`);
  });

  it("are all read, one after the other, and a key from two of them is crawled once", async () => {
    const read = { batches: 0 };
    const { product } = await simulate({
      links: () => [],
      sources: () => [batches(5, 10, read), batches(7, 10, read)],
    });
    assert.equal(product.visits.length, 70);
    assert.equal(read.batches, 12);
  });

  it("are not read while the crawl is paused", async () => {
    const read = { batches: 0 };
    const sim = simulation({ links: () => [], sources: () => [batches(100, 10, read)], limits: { highWater: 20 } });
    await sim.crawl.start();
    await sim.clock.until(() => sim.product.visits.length > 5);
    await sim.clock.settle(sim.crawl.pause());
    const before = read.batches;
    await sim.clock.advance(100_000);
    assert.equal(read.batches, before);
    sim.crawl.resume();
    await sim.clock.settle(sim.crawl.ended);
    assert.equal(read.batches, 100);
  });

  it("go on being read when all that is open waits for lanes that were given up", async () => {
    async function* source(): AsyncGenerator<Found[]> {
      yield Array.from({ length: 50 }, (_, i) => aFound(`dead/${i}`));
      yield Array.from({ length: 50 }, (_, i) => aFound(`alive/${i}`));
    }
    const { end, ledger } = await simulate({
      links: () => [],
      sources: () => [source()],
      limits: { highWater: 20 },
      policy: () => ({ blockAfter: 2, giveUpAfter: 1 }),
      answer: (task) => (task.lane === "dead" ? { result: "retry", signal: { kind: "unreachable" } } : {}),
    });
    assert.equal(end.state, "completed");
    assert.deepEqual(end.parked, ["dead"]);
    assert.equal(ledger.records.length, 50);
  });
});

describe("back-pressure", () => {
  it("takes nothing while the consumer is full, and continues when signalled", async () => {
    let full = false;
    const sim = simulation({ links, start, latency: () => 10, isFull: () => full, limits: { parallelism: 4 } });
    await sim.crawl.start();
    await sim.clock.until(() => sim.product.applied.length >= 20);
    full = true;
    await sim.clock.advance(1_000);
    const visits = sim.product.visits.length;
    assert.ok(visits < 30);
    assert.equal(sim.crawl.inFlight, 0, "what was under way lands");
    await sim.clock.advance(100_000);
    assert.equal(sim.product.visits.length, visits);
    full = false;
    sim.crawl.nudge();
    const end = await sim.clock.settle(sim.crawl.ended);
    assert.equal(end.state, "completed");
    assert.equal(sim.product.visits.length, graph.keys.length);
  });

  it("does not run further ahead of a slow page than it may", async () => {
    const slow = "source/0";
    const sim = simulation({
      links: () => [],
      start: Array.from({ length: 200 }, (_, i) => `source/${i}`),
      latency: ({ key }) => (key === slow ? 9_000 : 1),
      limits: { maxAhead: 30 },
    });
    await sim.crawl.start();
    await sim.clock.advance(8_000);
    assert.equal(sim.product.visits.length, 30);
    assert.deepEqual(sim.product.applied, []);
    await sim.clock.settle(sim.crawl.ended);
    assert.equal(sim.product.applied[0], slow);
    assert.equal(sim.ledger.records.length, 200);
  });

  it("early in a crawl runs no further ahead than has been applied", async () => {
    const slow = "source/50";
    const sim = simulation({
      links: () => [],
      start: Array.from({ length: 400 }, (_, i) => `source/${i}`),
      latency: ({ key }) => (key === slow ? 9_000 : 1),
      limits: { parallelism: 5, earlyAhead: 20 },
    });
    await sim.crawl.start();
    await sim.clock.advance(8_000);
    assert.equal(sim.product.applied.length, 50);
    assert.equal(sim.product.visits.length, 100);
    await sim.clock.settle(sim.crawl.ended);
    assert.equal(sim.ledger.records.length, 400);
  });

  it("does not hold more in memory behind a slow page than it may", async () => {
    const sim = simulation({
      links: () => [],
      start: Array.from({ length: 200 }, (_, i) => `source/${i}`),
      latency: ({ key }) => (key === "source/0" ? 9_000 : 1),
      answer: () => ({ bytes: 1_000 }),
      limits: { maxAheadBytes: 20_000, parallelism: 5 },
    });
    await sim.crawl.start();
    await sim.clock.advance(8_000);
    assert.ok(sim.product.visits.length <= 20 + 5, `${sim.product.visits.length} pages`);
    const end = await sim.clock.settle(sim.crawl.ended);
    assert.equal(end.state, "completed");
    assert.equal(sim.ledger.records.length, 200);
  });

  it("passes a page that takes too long, and applies it when it comes", async () => {
    const { end, product } = await simulate({
      links: () => [],
      start: Array.from({ length: 50 }, (_, i) => `source/${i}`),
      latency: ({ key }) => (key === "source/0" ? 60_000 : 1),
    });
    assert.equal(end.state, "completed");
    assert.equal(product.applied.at(-1), "source/0");
    assert.equal(product.applied.length, 50);
  });
});

describe("turns", () => {
  it("are served from inside an outcome that is being applied, and count in the lane's clock", async () => {
    const intervalMs = 1_000;
    const turns: number[] = [];
    const sim = simulation({
      links,
      start,
      policy: () => ({ intervalMs }),
      limits: { parallelism: 1 },
      prepare: async (_, context) => {
        const turn = await context.turn("lane9");
        turns.push(sim.clock.now());
        await sim.clock.sleep(30);
        turn.done({ kind: "ok" });
      },
    });
    await sim.crawl.start();
    const end = await sim.clock.settle(sim.crawl.ended);
    assert.equal(end.state, "completed");
    assert.equal(turns.length, graph.keys.length);
    for (let i = 1; i < turns.length; i++) assert.ok(turns[i]! - turns[i - 1]! >= intervalMs);
    assert.equal(sim.clock.timers, 0);
  });

  it("from within tasks never deadlock, even with every request under way waiting for one", async () => {
    const sim = simulation({
      links,
      start,
      latency,
      policy: () => ({ concurrency: 2 }),
      limits: { parallelism: 3 },
      onPerform: async (task, context) => {
        if (randomOf(2, task.key) < 0.3) await context.pace(task.lane);
        if (randomOf(3, task.key) > 0.3) return;
        const turn = await context.turn(`robots-${laneOf(task.key)}`);
        await sim.clock.sleep(5);
        turn.done({ kind: "neutral" });
      },
    });
    await sim.crawl.start();
    const end = await sim.clock.settle(sim.crawl.ended);
    assert.equal(end.state, "completed");
    assert.equal(sim.ledger.records.length, graph.keys.length);
    assert.equal(sim.clock.timers, 0);
  });

  it("that nobody needs any more when the crawl is complete are refused, and hold up nothing", async () => {
    let refused = false;
    const sim = simulation({
      links: () => [],
      start: ["a/1"],
      policy: () => ({ intervalMs: 3_600_000 }),
      onPerform: (_, context) => {
        context.turn("a").catch(() => {
          refused = true;
        });
      },
    });
    await sim.crawl.start();
    const end = await sim.clock.settle(sim.crawl.ended);
    await drain();
    assert.equal(end.state, "completed");
    assert.equal(refused, true);
    assert.equal(sim.clock.timers, 0);
  });
});

describe("unordered tasks", () => {
  it("are applied as they come", async () => {
    const { product } = await simulate({
      links: () => [],
      start: Array.from({ length: 20 }, (_, i) => `source/${i}`),
      latency: ({ id }) => 1_000 - id * 10,
      isOrdered: () => false,
      limits: { parallelism: 20 },
      policy: () => ({ concurrency: 20 }),
    });
    assert.deepEqual(
      product.applied,
      Array.from({ length: 20 }, (_, i) => `source/${19 - i}`),
    );
  });
});
