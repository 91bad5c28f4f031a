/** Lanes in a crawl: their rates, their troubles, and more tasks than memory holds. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LanePolicy } from "./lane.ts";
import type { Task } from "./task.ts";
import { FakeClock } from "./testing/fake-clock.ts";
import type { Answer } from "./testing/graph-product.ts";
import { randomOf } from "./testing/random.ts";
import { decisions, simulate, simulation } from "./testing/simulate.ts";

const pages = (lane: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${lane}/${i}`);

describe("rates", () => {
  it("are kept by each lane, whatever the latency", async () => {
    const intervals: Record<string, number> = { quick: 10, slow: 2_000, free: 0 };
    const { product } = await simulate({
      links: () => [],
      start: [...pages("quick", 50), ...pages("slow", 10), ...pages("free", 50)],
      latency: (task) => randomOf(1, task.key) * 3_000,
      policy: (lane) => ({ intervalMs: intervals[lane]! }),
      limits: { parallelism: 30 },
    });
    for (const [lane, interval] of Object.entries(intervals)) {
      const times = product.visits.filter((visit) => visit.lane === lane).map((visit) => visit.at);
      for (let i = 1; i < times.length; i++) assert.ok(times[i]! - times[i - 1]! >= interval);
    }
    const slow = product.visits.filter((visit) => visit.lane === "slow");
    assert.ok(slow.at(-1)!.at - slow[0]!.at < 9 * 2_000 + 1_000, "and no lane waits longer than it must");
  });

  it("hold after a restart for a lane whose first request was under way when it was killed", async () => {
    const clock = new FakeClock();
    const options = { links: () => [], start: pages("slow", 3), policy: () => ({ intervalMs: 10_000 }) };
    const first = simulation({ ...options, clock, latency: () => 5_000 });
    await first.crawl.start();
    await clock.advance(1_000);
    const again = await simulate({ ...options, clock: new FakeClock(clock.now()), ledger: first.ledger.crash() });
    const gap = again.product.visits[0]!.at - first.product.visits[0]!.at;
    assert.ok(gap >= 10_000, `asked again after ${gap} ms`);
  });

  it("hold, and nothing waits longer, when the wall clock is set back while it runs", async () => {
    const sim = simulation({
      clock: new FakeClock(1_700_000_000_000),
      links: () => [],
      start: pages("a", 30),
      policy: () => ({ intervalMs: 1_000 }),
      answer: (task) =>
        task.id === 5 && task.attempt === 0
          ? { result: "retry", retryAt: sim.clock.now() + 5_000, signal: { kind: "neutral" } }
          : {},
    });
    await sim.crawl.start();
    await sim.clock.advance(6_500);
    const before = sim.product.visits.length;
    sim.clock.setBack(3_600_000);
    let elapsed = 0;
    while (sim.crawl.state !== "completed") {
      await sim.clock.advance(100);
      elapsed += 100;
      assert.ok(elapsed < 40_000, "it waits for the hour to come again");
    }
    assert.equal(sim.ledger.records.length, 30);
    const after = sim.product.visits.slice(before).map((visit) => visit.at);
    for (let i = 1; i < after.length; i++) assert.ok(after[i]! - after[i - 1]! >= 1_000);
  });

  it("change when the product learns of a crawl-delay", async () => {
    let intervalMs = 0;
    const { product } = await simulate({
      links: () => [],
      start: pages("a", 20),
      policy: () => ({ intervalMs, concurrency: 1 }),
      latency: () => 1,
      onPerform: (task, context) => {
        if (task.id !== 10) return;
        intervalMs = 5_000;
        context.refreshPolicy("a");
      },
    });
    const times = product.visits.map((visit) => visit.at);
    assert.ok(times[9]! - times[0]! < 100);
    for (let i = 11; i < 20; i++) assert.equal(times[i]! - times[i - 1]!, 5_000);
  });
});

describe("a lane in trouble", () => {
  const dead = (task: Task): Answer =>
    task.lane === "dead" ? { result: "retry", signal: { kind: "unreachable" } } : {};
  const policy = (onGiveUp: LanePolicy["onGiveUp"]) => () => ({
    onGiveUp,
    blockAfter: 3,
    probeMs: 1_000,
    giveUpAfter: 2,
    concurrency: 3,
  });

  it("is blocked, probed and given up; its tasks are parked, and the rest of the crawl is not held up", async () => {
    const { end, product, ledger, crawl, clock } = await simulate({
      links: () => [],
      start: [...pages("dead", 20), ...pages("alive", 20)],
      answer: dead,
      policy: policy("park"),
    });
    assert.deepEqual(end, { state: "completed", parked: ["dead"], error: null });
    assert.equal(ledger.records.length, 20);
    assert.equal(crawl.meters.open, 20, "they stay open");
    assert.equal(ledger.rows.filter((row) => row.state === "open").length, 20);
    const visits = product.visits.filter((visit) => visit.lane === "dead").length;
    assert.ok(visits <= 3 + 2 + 3, `${visits} requests to a dead host`);
    assert.equal(clock.timers, 0);
  });

  it("that was parked is tried again by the next run", async () => {
    const first = await simulate({ links: () => [], start: pages("dead", 20), answer: dead, policy: policy("park") });
    const clock = new FakeClock(first.clock.now());
    const still = await simulate({
      links: () => [],
      answer: dead,
      policy: policy("park"),
      clock,
      ledger: first.ledger.crash(),
    });
    assert.deepEqual(still.end.parked, ["dead"]);
    assert.equal(still.product.visits.length, 1, "one probe");
    const later = new FakeClock(clock.now());
    const alive = await simulate({
      links: () => [],
      policy: policy("park"),
      clock: later,
      ledger: still.ledger.crash(),
    });
    assert.deepEqual(alive.end, { state: "completed", parked: [], error: null });
    assert.equal(alive.ledger.records.length, 20);
  });

  it("fails its tasks without asking for them, when it is to", async () => {
    const { end, product, ledger, crawl } = await simulate({
      links: () => [],
      start: [...pages("dead", 2_000), ...pages("alive", 20)],
      answer: dead,
      policy: policy("fail"),
    });
    assert.deepEqual(end, { state: "completed", parked: [], error: null });
    assert.equal(crawl.meters.failed, 2_000);
    assert.equal(product.abandoned.length, 2_000, "each of them");
    assert.equal(ledger.rows.filter((row) => row.state === "failed").length, 2_000);
    const visits = product.visits.filter((visit) => visit.lane === "dead").length;
    assert.ok(visits <= 8, `${visits} requests to a dead host`);
  });

  it("fails tasks that waited to be tried again, too", async () => {
    const clock = new FakeClock();
    const { end, product } = await simulate({
      links: () => [],
      clock,
      start: pages("dead", 4),
      answer: () => ({ result: "retry", retryAt: clock.now() + 3_600_000, signal: { kind: "unreachable" } }),
      policy: () => ({ onGiveUp: "fail", blockAfter: 3, probeMs: 1_000, giveUpAfter: 0, concurrency: 3 }),
    });
    assert.equal(end.state, "completed");
    assert.equal(product.abandoned.length, 4);
    assert.ok(clock.now() - 1_000_000 < 3_600_000, "without waiting for their time");
  });

  it("comes back when a probe is answered", async () => {
    let alive = false;
    const sim = simulation({
      links: () => [],
      start: pages("dead", 30),
      answer: () => (alive ? {} : { result: "retry", signal: { kind: "unreachable" } }),
      policy: policy("park"),
    });
    await sim.crawl.start();
    await sim.clock.advance(500);
    alive = true;
    const end = await sim.clock.settle(sim.crawl.ended);
    assert.deepEqual(end.parked, []);
    assert.equal(sim.ledger.records.length, 30);
  });

  it("waits as long as requested when throttled, and sends nothing meanwhile", async () => {
    let told = 0;
    const { product, ledger } = await simulate({
      links: () => [],
      start: pages("busy", 40),
      policy: () => ({ concurrency: 5 }),
      answer: (task) =>
        task.id === 10 && task.attempt === 0 ? { result: "retry", signal: { kind: "throttled", forMs: 30_000 } } : {},
      onPerform: (task) => {
        if (task.id === 10 && task.attempt === 0) told = 1;
      },
    });
    assert.equal(told, 1);
    assert.equal(ledger.records.length, 40);
    const times = product.visits.map((visit) => visit.at);
    const gaps = times.slice(1).map((at, i) => at - times[i]!);
    assert.ok(Math.max(...gaps) >= 29_900 && gaps.filter((gap) => gap > 1_000).length === 1);
  });
});

describe("a lane that asks for a rest", () => {
  /** Throttled for the first two minutes of every ten. */
  const spells = (clock: FakeClock): Answer | null =>
    clock.now() % 600_000 < 120_000
      ? { result: "retry", attempts: 0, retryAt: 0, signal: { kind: "throttled", forMs: 5_000, why: "429" } }
      : null;
  const links = (task: Task): string[] => (task.depth < 3 ? [1, 2, 3].map((n) => `a/${task.key.slice(2)}${n}`) : []);
  const policy = () => ({ concurrency: 8, intervalMs: 5_000 });

  it("costs a task nothing, however long it lasts, and changes no decision", async () => {
    const calm = await simulate({ links, start: ["a/0"], policy });
    const clock = new FakeClock(600_000_000);
    const attempts = new Set<number>();
    const rough = await simulate({
      clock,
      links,
      start: ["a/0"],
      policy,
      answer: (task) => {
        attempts.add(task.attempt);
        return spells(clock) ?? {};
      },
    });
    assert.equal(rough.end.state, "completed");
    assert.deepEqual([...attempts], [0]);
    assert.equal(rough.crawl.meters.retries, 0);
    assert.deepEqual(decisions(rough.ledger), decisions(calm.ledger));
  });

  it("is given up for this run when it rests for too long: its tasks stay open, and it says until when and why", async () => {
    const clock = new FakeClock();
    const answer = (): Answer => ({
      result: "retry",
      attempts: 0,
      retryAt: 0,
      signal: { kind: "throttled", forMs: 60_000, why: "429 Too Many Requests" },
    });
    const options = { clock, links: () => [], start: pages("a", 5), policy: () => ({ maxRestMs: 200_000 }) };
    const first = await simulate({ ...options, answer });
    assert.deepEqual([first.end.state, first.end.parked, first.crawl.meters.open], ["completed", ["a"], 5]);
    const [host] = first.crawl.hosts();
    assert.deepEqual([host!.state, host!.reason, host!.why], ["given_up", "backoff", "429 Too Many Requests"]);
    assert.ok(host!.nextAt! > clock.now());
    const again = await simulate({ ...options, ledger: first.ledger.crash() });
    assert.deepEqual([again.end.parked, again.crawl.meters.open], [[], 0]);
    assert.ok(again.product.visits[0]!.at >= host!.nextAt!, "the next run waits for the end of the rest");
  });

  it("can be paused while it rests, although pages behind it wait for their turn", async () => {
    const clock = new FakeClock();
    const sim = simulation({
      clock,
      links: () => [],
      start: pages("a", 3),
      policy: () => ({ concurrency: 3 }),
      answer: (task) =>
        task.id === 1
          ? { result: "retry", attempts: 0, retryAt: 0, signal: { kind: "throttled", forMs: 3_600_000 } }
          : {},
    });
    await sim.crawl.start();
    await clock.advance(1_000);
    await clock.settle(sim.crawl.pause());
    assert.equal(sim.ledger.records.length, 2);
    await sim.crawl.stop();
  });
});

describe("more tasks than a window holds", () => {
  const wide = (task: Task): string[] => {
    if (task.depth === 0) return pages("wide", 1_300);
    if (task.depth === 1 && task.id % 100 === 0) return pages(`far${task.id % 3}`, 700);
    return [];
  };
  const expected = 1 + 1_300 + 3 * 700;

  it("are all visited, once", async () => {
    const { end, product, ledger } = await simulate({
      links: wide,
      start: ["start/0"],
      latency: () => 1,
      policy: () => ({ concurrency: 50 }),
      limits: { parallelism: 50 },
    });
    assert.equal(end.state, "completed");
    assert.equal(product.visits.length, expected);
    assert.equal(new Set(product.visits.map((visit) => visit.key)).size, expected);
    assert.equal(ledger.records.length, expected);
  });

  it("are all visited although none of them is committed yet when the ledger is asked", async () => {
    const { ledger } = await simulate({
      links: wide,
      start: ["start/0"],
      policy: () => ({ concurrency: 50 }),
      limits: { parallelism: 50, commit: { settled: 1e6, admitted: 1e6, ms: 1e6, pending: 2 } },
    });
    assert.equal(ledger.records.length, expected);
  });

  it("are all visited, once, after restarts, though many of them wait to be tried again", async () => {
    const clock = new FakeClock();
    const start = ["start/0"];
    const answer = (task: Task): Answer =>
      task.attempt === 0 && task.depth === 1 && task.id % 2 === 0
        ? { result: "retry", retryAt: clock.now() + 60_000, signal: { kind: "neutral" } }
        : {};
    const options = {
      links: wide,
      start,
      answer,
      clock,
      policy: () => ({ concurrency: 50 }),
      limits: { parallelism: 50 },
    };
    let sim = simulation(options);
    for (const ms of [40, 100, 150]) {
      await sim.crawl.start();
      await clock.advance(ms);
      await clock.settle(sim.crawl.stop());
      assert.equal(clock.timers, 0);
      sim = simulation({ ...options, ledger: sim.ledger.crash() });
    }
    await sim.crawl.start();
    const end = await clock.settle(sim.crawl.ended);
    assert.equal(end.state, "completed");
    assert.equal(sim.ledger.records.length, expected);
    assert.equal(new Set(sim.ledger.records.map(({ id }) => id)).size, expected);
  });

  it("keep memory flat when a crawl of many lanes is resumed", async () => {
    const lanes = Array.from({ length: 60 }, (_, i) => `host${i}`);
    const start = lanes.flatMap((lane) => pages(lane, 500));
    const first = simulation({ links: () => [], start, limits: { highWater: 100_000 } });
    await first.crawl.start();
    await first.clock.advance(100);
    const sim = simulation({
      links: () => [],
      ledger: first.ledger.crash(),
      policy: () => ({ intervalMs: 1_000_000 }),
    });
    await sim.crawl.start();
    await sim.clock.advance(10);
    let held = 0;
    for (const lane of sim.crawl.lanes) held += lane.window.size;
    assert.ok(held > 5_000 && held < 22_000, `${held} tasks in memory`);
  });
});
