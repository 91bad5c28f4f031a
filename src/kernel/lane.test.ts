import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  byBusiness,
  concurrencyOf,
  depart,
  freshLane,
  intervalOf,
  isGivenUp,
  type LaneLoad,
  type LanePolicy,
  type LaneReport,
  type LaneSignal,
  type LaneState,
  laneActivity,
  react,
  revive,
} from "./lane.ts";
import { Lanes } from "./lanes.ts";
import { FakeClock } from "./testing/fake-clock.ts";
import { randomOf } from "./testing/random.ts";
import { aPolicy, aTask } from "./testing/samples.ts";
import { linksOf, randomGraph, simulate, simulation } from "./testing/simulate.ts";

const NOW = 1_700_000_000_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const POLICY = aPolicy();

const OK: LaneSignal = { kind: "ok" };
const NEUTRAL: LaneSignal = { kind: "neutral" };
const THROTTLED: LaneSignal = { kind: "throttled", forMs: null };
const OVERLOADED: LaneSignal = { kind: "overloaded", forMs: null };
const UNREACHABLE: LaneSignal = { kind: "unreachable" };

const lane = (more: Partial<LaneState> = {}): LaneState => ({ ...freshLane(), ...more });
const reactAll = (state: LaneState, signals: LaneSignal[], policy = POLICY, now = NOW): LaneState =>
  signals.reduce((each, signal) => react(each, signal, policy, now), state);
const times = <T>(count: number, each: T): T[] => Array.from({ length: count }, () => each);

describe("a request that leaves", () => {
  const cases: [title: string, state: Partial<LaneState>, intervalMs: number, nextAt: number][] = [
    ["on a fresh lane counts from now", {}, 500, NOW + 500],
    ["on a lane that was idle does not make up for it", { nextAt: NOW - MINUTE }, 500, NOW + 500],
    ["early (a probe, a turn) counts from when it was due", { nextAt: NOW + 100 }, 500, NOW + 600],
    ["without an interval lets the next follow", {}, 0, NOW],
    ["at half pace waits twice as long", { pace: 0.5 }, 500, NOW + 1_000],
    ["at half pace without an interval waits twice the overloaded one", { pace: 0.5 }, 0, NOW + 200],
  ];
  for (const [title, state, intervalMs, nextAt] of cases) {
    it(title, () => {
      const after = depart(lane(state), aPolicy({ intervalMs }), NOW);
      assert.equal(after.nextAt, nextAt);
      assert.equal(after.spent, 1);
    });
  }
});

describe("throttled without being told for how long", () => {
  it("waits a minute, and twice as long each time", () => {
    let state = lane();
    let now = NOW;
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      state = react(state, THROTTLED, POLICY, now);
      assert.equal(state.nextAt - now, minutes * MINUTE);
      now = state.nextAt + SECOND;
      state = react(state, OK, POLICY, now);
    }
  });

  it("forgets the doubling after half an hour without it", () => {
    const twice = reactAll(react(lane(), THROTTLED, POLICY, NOW), [THROTTLED], POLICY, NOW + 2 * MINUTE);
    assert.equal(twice.throttles, 2);
    const almost = react(twice, THROTTLED, POLICY, twice.throttledUntil + 30 * MINUTE - 1);
    assert.equal(almost.throttles, 3);
    const quiet = twice.throttledUntil + 30 * MINUTE;
    const again = react(twice, THROTTLED, POLICY, quiet);
    assert.equal(again.throttles, 1);
    assert.equal(again.nextAt, quiet + MINUTE);
  });

  it("raises the back-off once for requests that were under way together", () => {
    const state = reactAll(lane(), times(10, THROTTLED));
    assert.equal(state.throttles, 1);
    assert.equal(state.nextAt, NOW + MINUTE);
  });
});

describe("throttled for a time", () => {
  it("waits that long, but no longer than the longest", () => {
    assert.equal(react(lane(), { kind: "throttled", forMs: 7 * SECOND }, POLICY, NOW).nextAt, NOW + 7 * SECOND);
    assert.equal(react(lane(), { kind: "throttled", forMs: 1e15 }, POLICY, NOW).nextAt, NOW + POLICY.maxThrottledMs);
  });

  it("waits for the longest delay that concurrent requests were given", () => {
    const told = [5, 30, 10].map((seconds): LaneSignal => ({ kind: "throttled", forMs: seconds * SECOND }));
    const state = reactAll(lane(), told);
    assert.equal(state.nextAt, NOW + 30 * SECOND);
    assert.equal(state.throttledUntil, NOW + 30 * SECOND);
  });

  it("raises the back-off once for requests that were under way together", () => {
    const state = reactAll(lane(), times(10, { kind: "throttled", forMs: 5 * SECOND }));
    assert.equal(state.throttles, 1);
    const next = react(state, THROTTLED, POLICY, NOW + 6 * SECOND);
    assert.equal(next.nextAt, NOW + 6 * SECOND + 2 * MINUTE);
  });

  it("does not shorten a wait", () => {
    const long = react(lane({ nextAt: NOW + MINUTE }), { kind: "throttled", forMs: 1 }, POLICY, NOW);
    assert.equal(long.nextAt, NOW + MINUTE);
  });
});

describe("a rest", () => {
  const policy = aPolicy({ throttledMs: 500, maxOwnThrottledMs: 8 * SECOND, maxThrottledMs: 60 * MINUTE });

  it("is the lane's own back-off with jitter, within its own longest, unless the host says for how long", () => {
    const waits = (jitter: number): number[] => {
      let state = lane();
      return times(7, 0).map(() => {
        const now = Math.max(NOW, state.throttledUntil);
        state = react(state, { kind: "throttled", forMs: null, jitter }, policy, now);
        return state.throttledUntil - now;
      });
    };
    assert.deepEqual(waits(1), [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    assert.deepEqual(waits(0.75), [375, 750, 1_500, 3_000, 6_000, 6_000, 6_000]);
    assert.deepEqual(waits(1.25), [625, 1_250, 2_500, 5_000, 8_000, 8_000, 8_000]);
    const asked = react(lane(), { kind: "throttled", forMs: 10 * MINUTE, jitter: 1.25 }, policy, NOW);
    assert.equal(asked.throttledUntil, NOW + 10 * MINUTE);
  });

  it("begins with the first throttle, ends with the first answer behind it, and says why", () => {
    const first = react(lane(), { kind: "throttled", forMs: 5 * SECOND, why: "429" }, policy, NOW);
    const second = react(first, { kind: "throttled", forMs: 5 * SECOND, why: "503" }, policy, NOW + 6 * SECOND);
    assert.deepEqual([second.restingSince, second.why], [NOW, "503"]);
    assert.equal(react(second, OK, policy, NOW + 7 * SECOND).why, "503", "that answer was under way");
    const over = react(second, OK, policy, NOW + 12 * SECOND);
    assert.deepEqual([over.restingSince, over.why], [undefined, undefined]);
  });

  it("that is longer than the longest gives the lane up for this run only", () => {
    const strict = aPolicy({ maxRestMs: 10 * MINUTE });
    const asked = (forMs: number) => react(lane(), { kind: "throttled", forMs }, strict, NOW);
    assert.equal(isGivenUp(asked(10 * MINUTE), strict), false);
    const long = asked(20 * MINUTE);
    assert.equal(isGivenUp(long, strict), true);
    assert.equal(isGivenUp(revive(long, strict, NOW + MINUTE), strict), true, "19 minutes are left");
    const later = revive(long, strict, NOW + 15 * MINUTE);
    assert.equal(isGivenUp(later, strict), false);
    assert.equal(later.nextAt, NOW + 20 * MINUTE);
    assert.equal(revive(long, strict, NOW + 30 * MINUTE).restingSince, undefined);
  });

  it("of a host that does not want to be requested: given up at once", () => {
    const closed = react(lane(), { kind: "closed", why: "robots.txt answered 403" }, POLICY, NOW);
    assert.deepEqual([isGivenUp(closed, POLICY), closed.why], [true, "robots.txt answered 403"]);
    assert.equal(isGivenUp(revive(closed, POLICY, NOW), POLICY), false);
  });
});

describe("overloaded", () => {
  it("halves the pace down to the least, and recovers by tenths", () => {
    const policy = aPolicy({ intervalMs: SECOND, minPace: 0.25, blockAfter: 100 });
    const paces: number[] = [];
    let state = lane();
    for (const signal of [...times(3, OVERLOADED), ...times(9, OK)]) {
      state = react(state, signal, policy, NOW);
      paces.push(Math.round(state.pace * 100) / 100);
    }
    assert.deepEqual(paces, [0.5, 0.25, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1, 1]);
    assert.equal(intervalOf(lane({ pace: 0.5 }), policy), 2 * SECOND);
    assert.equal(concurrencyOf(lane({ pace: 0.5 }), policy), 5);
    assert.equal(concurrencyOf(lane({ pace: 0.01 }), policy), 1);
  });

  it("does not recover after an unsuccessful answer", () => {
    assert.equal(react(lane({ pace: 0.5 }), NEUTRAL, POLICY, NOW).pace, 0.5);
  });

  it("waits as long as it was asked to, up to the maximum", () => {
    const told = (forMs: number) => react(lane(), { kind: "overloaded", forMs }, POLICY, NOW).nextAt;
    assert.equal(told(20 * SECOND), NOW + 20 * SECOND);
    assert.equal(told(1e15), NOW + POLICY.maxThrottledMs);
  });
});

describe("a lane that is halved every few failures", () => {
  const policy = aPolicy({ intervalMs: 100, minPace: 0.05, halveEvery: 5, recovery: 1, blockAfter: 100 });
  const paces = (signals: LaneSignal[]): number[] => {
    let state = lane();
    return signals.map((signal) => {
      state = react(state, signal, policy, NOW);
      return state.pace;
    });
  };

  it("counts failures of every kind, and goes down to the least", () => {
    const mixed = times(15, [OVERLOADED, UNREACHABLE]).flat().slice(0, 30);
    const seen = paces(mixed).filter((_, index) => index % 5 === 4);
    assert.deepEqual(seen, [0.5, 0.25, 0.125, 0.0625, 0.05, 0.05]);
    assert.deepEqual(paces(times(4, OVERLOADED)), [1, 1, 1, 1], "fewer change nothing");
  });

  it("is itself again after one success, and starts counting from zero", () => {
    assert.deepEqual(
      paces([...times(5, UNREACHABLE), OK, ...times(5, UNREACHABLE)]).slice(4),
      [0.5, 1, 1, 1, 1, 1, 0.5],
    );
  });

  it("keeps its rate when throttled: that is not a failure", () => {
    assert.deepEqual(paces(times(10, THROTTLED)).at(-1), 1);
  });
});

describe("nobody answers", () => {
  it("blocks after a streak, probes one at a time after a cool-down that doubles, then gives up", () => {
    let state = reactAll(lane(), times(4, UNREACHABLE));
    assert.equal(state.blocks, 0);
    let now = NOW;
    for (const seconds of [30, 60, 120, 240]) {
      assert.equal(isGivenUp(state, POLICY), false);
      state = react(state, UNREACHABLE, POLICY, now);
      assert.equal(state.nextAt, now + seconds * SECOND);
      assert.equal(concurrencyOf(state, POLICY), 1);
      now = state.nextAt + SECOND;
    }
    assert.equal(isGivenUp(state, POLICY), true);
  });

  it("has a longest cool-down", () => {
    const state = react(lane({ blocks: 20, streak: 30 }), UNREACHABLE, POLICY, NOW);
    assert.equal(state.nextAt, NOW + POLICY.maxProbeMs);
  });

  it("counts requests that were under way when it was blocked as no probes", () => {
    const state = reactAll(lane(), times(10, UNREACHABLE));
    assert.equal(state.blocks, 1);
    assert.equal(state.nextAt, NOW + 30 * SECOND);
  });

  for (const answer of [OK, NEUTRAL]) {
    it(`is over with an answer (${answer.kind})`, () => {
      const state = reactAll(lane(), [...times(5, UNREACHABLE), answer]);
      assert.equal(state.blocks, 0);
      assert.equal(state.streak, 0);
      assert.equal(concurrencyOf(state, POLICY), 10);
      assert.equal(state.nextAt, NOW + 30 * SECOND, "but what was to be waited for still is");
    });
  }
});

describe("a lane read back after a restart", () => {
  const policy = aPolicy({ intervalMs: 5 * SECOND });

  it("waits a whole interval: its last requests may not have been committed", () => {
    assert.equal(revive(lane({ nextAt: NOW - MINUTE }), policy, NOW).nextAt, NOW + 5 * SECOND);
    assert.equal(revive(freshLane(), policy, NOW).nextAt, NOW + 5 * SECOND);
  });

  it("still waits as long as it was asked to", () => {
    const state = react(lane(), { kind: "throttled", forMs: 10 * MINUTE }, policy, NOW);
    assert.equal(revive(state, policy, NOW + MINUTE).nextAt, NOW + 10 * MINUTE);
  });

  it("does not wait longer than any rule would when the clock was set back", () => {
    const state = react(lane(), { kind: "throttled", forMs: 10 * MINUTE }, policy, NOW);
    const setBack = NOW - 365 * 24 * 60 * MINUTE;
    assert.equal(revive(state, policy, setBack).nextAt, setBack + policy.maxThrottledMs);
  });

  it("hears a 429 when the clock was set back", () => {
    const setBack = NOW - 365 * 24 * 60 * MINUTE;
    const revived = revive(react(lane(), THROTTLED, policy, NOW), policy, setBack);
    const later = setBack + policy.maxThrottledMs + SECOND;
    const state = react(revived, THROTTLED, policy, later);
    assert.ok(state.nextAt >= later + MINUTE, "it waits");
  });

  it("counts failed probes when the clock was set back", () => {
    const setBack = NOW - 365 * 24 * 60 * MINUTE;
    const revived = revive(reactAll(lane(), times(5, UNREACHABLE)), policy, setBack);
    const later = setBack + policy.maxThrottledMs + SECOND;
    assert.equal(react(revived, UNREACHABLE, policy, later).blocks, 2);
  });

  it("that was given up is probed once more: it was given up for that run only", () => {
    const givenUp = lane({ blocks: 4, streak: 9, nextAt: NOW - 1, blockedUntil: NOW - 1 });
    assert.equal(isGivenUp(givenUp, policy), true);
    const revived = revive(givenUp, policy, NOW);
    assert.equal(isGivenUp(revived, policy), false);
    assert.equal(concurrencyOf(revived, policy), 1);
    assert.equal(isGivenUp(react(revived, UNREACHABLE, policy, revived.nextAt), policy), true);
  });
});

it("a lane never gets quicker from an error", () => {
  const state = fc.record({
    nextAt: fc.integer({ min: NOW - 10 * MINUTE, max: NOW + 10 * MINUTE }),
    pace: fc.double({ min: POLICY.minPace, max: 1, noNaN: true }),
    throttles: fc.nat({ max: 20 }),
    throttledUntil: fc.integer({ min: NOW - 60 * MINUTE, max: NOW + 60 * MINUTE }),
    streak: fc.nat({ max: 20 }),
    blocks: fc.nat({ max: 10 }),
    blockedUntil: fc.integer({ min: NOW - 60 * MINUTE, max: NOW + 60 * MINUTE }),
    spent: fc.nat(),
  });
  const forMs = fc.option(fc.nat({ max: 100 * MINUTE }), { nil: null });
  const error: fc.Arbitrary<LaneSignal> = fc.oneof(
    fc.constant(UNREACHABLE),
    forMs.map((ms): LaneSignal => ({ kind: "throttled", forMs: ms })),
    forMs.map((ms): LaneSignal => ({ kind: "overloaded", forMs: ms })),
  );
  fc.assert(
    fc.property(
      state,
      error,
      fc.nat({ max: 5_000 }),
      fc.constantFrom(0, 5),
      (before, signal, intervalMs, halveEvery) => {
        const policy = aPolicy({ intervalMs, halveEvery });
        const after = react(before, signal, policy, NOW);
        assert.ok(after.nextAt >= before.nextAt);
        assert.ok(after.throttledUntil >= before.throttledUntil || before.throttledUntil < NOW);
        assert.ok(intervalOf(after, policy) >= intervalOf(before, policy));
        assert.ok(concurrencyOf(after, policy) <= concurrencyOf(before, policy));
        assert.ok(after.blocks >= before.blocks);
        const longest = Math.max(policy.maxThrottledMs, policy.maxProbeMs);
        assert.ok(after.nextAt <= Math.max(before.nextAt, NOW + longest), "and never waits for ever");
      },
    ),
  );
});

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

  it("where nobody answers are reported as given up", async () => {
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
