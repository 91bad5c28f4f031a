import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freshLane, type LanePolicy, type LaneState, react } from "./lane.ts";
import { byBusiness, type LaneLoad, type LaneReport, laneActivity } from "./lane-report.ts";
import { Lanes } from "./lanes.ts";
import { FakeClock } from "./testing/fake-clock.ts";
import { randomOf } from "./testing/random.ts";
import { aPolicy, aTask } from "./testing/samples.ts";
import { linksOf, randomGraph, simulate, simulation } from "./testing/simulate.ts";

const NOW = 1_700_000_000_000;
const NEVER = Number.POSITIVE_INFINITY;
const LOAD: LaneLoad = { inFlight: 0, hasTasks: true, retryAt: NEVER };

const throttled = react(freshLane(), { kind: "throttled", forMs: 5_000 }, aPolicy(), NOW);
const overloaded = react(freshLane(), { kind: "overloaded", forMs: 3_000 }, aPolicy(), NOW);
const blockedPolicy = aPolicy({ blockAfter: 1, probeMs: 30_000 });
const blocked = react(freshLane(), { kind: "unreachable" }, blockedPolicy, NOW);

describe("what a lane is doing", () => {
  type Case = [
    title: string,
    state: LaneState,
    policy: LanePolicy,
    load: Partial<LaneLoad>,
    at: number,
    expected: ReturnType<typeof laneActivity>,
  ];
  const cases: Case[] = [
    [
      "ready when only the crawl's parallelism holds it",
      freshLane(),
      aPolicy(),
      {},
      NOW,
      { state: "ready", reason: null, nextAt: null },
    ],
    [
      "fetching while requests are under way",
      freshLane(),
      aPolicy(),
      { inFlight: 2 },
      NOW,
      { state: "fetching", reason: null, nextAt: null },
    ],
    [
      "waiting for its interval",
      { ...freshLane(), nextAt: NOW + 700 },
      aPolicy({ intervalMs: 1_000 }),
      {},
      NOW,
      { state: "waiting", reason: "interval", nextAt: NOW + 700 },
    ],
    [
      "fetching, and the next waits for the interval",
      { ...freshLane(), nextAt: NOW + 700 },
      aPolicy({ intervalMs: 1_000 }),
      { inFlight: 1 },
      NOW,
      { state: "fetching", reason: "interval", nextAt: NOW + 700 },
    ],
    [
      "fetching all it may: no clock is waited for",
      { ...freshLane(), nextAt: NOW + 700 },
      aPolicy({ concurrency: 1 }),
      { inFlight: 1 },
      NOW,
      { state: "fetching", reason: null, nextAt: null },
    ],
    [
      "waiting for the next try",
      freshLane(),
      aPolicy(),
      { hasTasks: false, retryAt: NOW + 900 },
      NOW,
      { state: "waiting", reason: "retry", nextAt: NOW + 900 },
    ],
    [
      "a retry keeps no other task waiting",
      freshLane(),
      aPolicy(),
      { retryAt: NOW + 900 },
      NOW,
      { state: "ready", reason: null, nextAt: null },
    ],
    [
      "throttled until the time it was told",
      throttled,
      aPolicy(),
      {},
      NOW,
      { state: "throttled", reason: "backoff", nextAt: NOW + 5_000 },
    ],
    [
      "throttled even while earlier requests land",
      throttled,
      aPolicy(),
      { inFlight: 3 },
      NOW,
      { state: "throttled", reason: "backoff", nextAt: NOW + 5_000 },
    ],
    [
      "free again when that time has come",
      throttled,
      aPolicy(),
      {},
      NOW + 5_000,
      { state: "ready", reason: null, nextAt: null },
    ],
    [
      "slowed by distress",
      overloaded,
      aPolicy(),
      {},
      NOW,
      { state: "waiting", reason: "overloaded", nextAt: NOW + 3_000 },
    ],
    [
      "blocked after failures in a row",
      blocked,
      blockedPolicy,
      {},
      NOW,
      { state: "blocked", reason: "unreachable", nextAt: NOW + 30_000 },
    ],
    [
      "probing when the cool-down is over",
      blocked,
      blockedPolicy,
      { inFlight: 1 },
      NOW + 30_000,
      { state: "blocked", reason: "probing", nextAt: null },
    ],
    [
      "given up",
      { ...blocked, blocks: 9 },
      blockedPolicy,
      {},
      NOW,
      { state: "given_up", reason: "unreachable", nextAt: null },
    ],
  ];
  for (const [title, state, policy, load, at, expected] of cases) {
    it(title, () => assert.deepEqual(laneActivity(state, policy, { ...LOAD, ...load }, at), expected));
  }
});

describe("reports of lanes", () => {
  it("tell the busiest first, as many as asked for, and leave idle lanes out", () => {
    const lanes = new Lanes((key) => aPolicy({ intervalMs: key === "slow" ? 5_000 : 0 }));
    const offer = (lane: string, from: number, count: number) => {
      for (let id = from; id < from + count; id++) lanes.offer(aTask(id, { lane }), NOW);
    };
    offer("small", 1, 2);
    offer("large", 10, 600);
    offer("slow", 1_000, 3);
    lanes.get("idle");
    lanes.takeTask(lanes.get("slow"), NOW);
    const brief = (reports: LaneReport[]) =>
      reports.map(({ lane, state, open, inFlight }) => [lane, state, open, inFlight]);
    assert.deepEqual(brief(lanes.reports(10, NOW)), [
      ["slow", "fetching", 3, 1],
      ["large", "ready", 600, 0],
      ["small", "ready", 2, 0],
    ]);
    assert.equal(lanes.reports(2, NOW).length, 2);
    lanes.land(lanes.get("slow"), { kind: "ok" }, NOW);
    const [, slow] = lanes.reports(10, NOW);
    assert.deepEqual(
      [slow!.lane, slow!.state, slow!.reason, slow!.nextAt, slow!.spent],
      ["slow", "waiting", "interval", NOW + 5_000, 1],
    );
  });

  it("order ties by name, so that a screen does not flicker", () => {
    const report = (lane: string): LaneReport => ({
      lane,
      state: "ready",
      reason: null,
      inFlight: 0,
      open: 1,
      nextAt: null,
      spent: 0,
      pace: 1,
    });
    assert.deepEqual(
      [report("b"), report("a")].sort(byBusiness).map(({ lane }) => lane),
      ["a", "b"],
    );
  });
});

describe("hosts of a crawl", () => {
  const graph = randomGraph(7, 300, 4);
  const options = {
    links: linksOf(graph),
    start: [graph.keys[0]!],
    latency: (task: { key: string }) => 50 + randomOf(3, task.key) * 400,
    policy: () => ({ intervalMs: 20, concurrency: 2 }),
    answer: (task: { key: string; attempt: number }) =>
      randomOf(5, task.key) < 0.1 && task.attempt === 0
        ? { result: "retry" as const, retryAt: 0, signal: { kind: "neutral" as const } }
        : {},
  };

  it("account for every open task at any time, also after a restart", async () => {
    const first = simulation(options);
    await first.crawl.start();
    for (let step = 0; step < 20; step++) {
      await first.clock.advance(100);
      const open = first.crawl.hosts().reduce((sum, host) => sum + host.open, 0);
      assert.equal(open, first.crawl.meters.open);
    }
    assert.ok(first.crawl.meters.open > 0, "it was looked at while it ran");
    const again = simulation({ ...options, clock: new FakeClock(first.clock.now()), ledger: first.ledger.crash() });
    await again.crawl.start();
    assert.equal(
      again.crawl.hosts().reduce((sum, host) => sum + host.open, 0),
      again.crawl.meters.open,
    );
    await again.clock.settle(again.crawl.ended);
    assert.deepEqual(again.crawl.hosts(), []);
  });

  it("that nobody answers at are told as given up", async () => {
    const { crawl } = await simulate({
      links: () => [],
      start: ["down/1", "down/2", "up/1"],
      policy: () => ({ blockAfter: 1, giveUpAfter: 0 }),
      answer: (task) =>
        task.lane === "down" ? { result: "retry" as const, retryAt: 0, signal: { kind: "unreachable" as const } } : {},
    });
    assert.deepEqual(
      crawl.hosts().map(({ lane, state, open }) => [lane, state, open]),
      [["down", "given_up", 2]],
    );
  });
});
