import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { judge, type QuietVerdict, type Sample, slice, UNSEEN, unrestOf } from "./quiet.ts";

const limits = { settleMs: 500, maxWaitMs: 100_000 };
const quiet: Sample = {
  wall: 0,
  page: 0,
  parsed: true,
  mutations: 0,
  traffic: 0,
  pending: 0,
  timers: 0,
  timersSet: 0,
  repeating: 0,
  asked: 0,
};

/** The verdicts on a page seen every second of its own time. */
function watch(change: (step: number) => Partial<Sample>, steps: number, wallPerStep = 170): QuietVerdict[] {
  let state = UNSEEN;
  const verdicts: QuietVerdict[] = [];
  for (let step = 0; step < steps; step++) {
    const outcome = judge(state, { ...quiet, page: step * 1_000, wall: step * wallPerStep, ...change(step) }, limits);
    state = outcome.state;
    verdicts.push(outcome.verdict);
    if (outcome.verdict !== "wait") break;
  }
  return verdicts;
}

describe("judge", () => {
  it("waits for a few quiet seconds from the start", () => {
    assert.deepEqual(
      watch(() => ({}), 99),
      ["wait", "wait", "wait", "wait", "wait", "quiet"],
    );
  });

  it("waits while the browser owes an answer, and gives it little time at once, often", () => {
    assert.deepEqual(watch((step) => ({ asked: step < 20 ? 1 : 0 }), 99).length, 21);
    const { page, wall } = slice(UNSEEN, { ...quiet, asked: 1 }, limits, true);
    assert.ok(page <= 17 && wall <= 17);
  });

  it("counts from the last change of the DOM", () => {
    assert.equal(watch((step) => ({ mutations: Math.min(step, 7) }), 99).length, 7 + 6);
  });

  it("counts from the last traffic", () => {
    assert.equal(watch((step) => ({ traffic: step < 3 ? 0 : 2 }), 99).length, 3 + 6);
  });

  it("waits while a request is under way, however steady the DOM", () => {
    const verdicts = watch((step) => ({ pending: step < 20 ? 1 : 0 }), 99);
    assert.deepEqual([verdicts.length, verdicts.at(-1)], [21, "quiet"]);
  });

  it("waits while the parser is not through", () => {
    const verdicts = watch((step) => ({ parsed: step >= 10 }), 99);
    assert.deepEqual([verdicts.length, verdicts.at(-1)], [16, "quiet"]);
  });

  it("caps a page that changes forever, by its own time", () => {
    const verdicts = watch((step) => ({ mutations: step }), 999);
    assert.deepEqual([verdicts.length, verdicts.at(-1)], [101, "capped"]);
  });

  it("caps a page whose requests hang, by real time", () => {
    const verdicts = watch((step) => ({ page: 0, pending: 1, wall: step * 2_500 }), 999);
    assert.deepEqual([verdicts.length, verdicts.at(-1)], [41, "capped"]);
  });

  it("prefers quiet to capped when both are true", () => {
    const state = { mutations: 1, traffic: 1, parsed: true, changedAt: 95_000, timersSet: 0, byMutation: false };
    const sample = { ...quiet, mutations: 1, traffic: 1, page: 100_000, wall: 100_000 };
    assert.equal(judge(state, sample, limits).verdict, "quiet");
  });

  it("waits for timers, and for a chain of them that changes nothing", () => {
    const verdicts = watch((step) => ({ timers: step < 30 ? 1 : 0, timersSet: Math.floor(step / 2) }), 99);
    assert.deepEqual([verdicts.length, verdicts.at(-1)], [31, "quiet"]);
  });

  it("takes a timer that is set again and again without a change for one without end", () => {
    assert.equal(watch((step) => ({ timers: 1, timersSet: step }), 99).length, 25 + 1);
    // Changes make it count again.
    assert.equal(watch((step) => ({ timers: 1, timersSet: step, mutations: Math.min(step, 3) }), 99).length, 28 + 1);
  });

  it("does not wait for intervals and frames that change nothing", () => {
    assert.equal(watch(() => ({ repeating: 1 }), 99).length, 6);
  });

  it("at the cap, a page that waits for nothing is quiet", () => {
    const atCap = (over: Partial<Sample>) =>
      judge(
        { mutations: 0, traffic: 0, parsed: true, changedAt: 99_000, timersSet: 0, byMutation: false },
        { ...quiet, page: 100_000, ...over },
        limits,
      ).verdict;
    assert.equal(atCap({}), "quiet");
    for (const over of [{ timers: 1 }, { repeating: 1 }, { pending: 1 }, { mutations: 1 }]) {
      assert.equal(atCap(over), "capped", JSON.stringify(over));
    }
  });

  it("needs less quiet where less time is allowed in all", () => {
    assert.equal(judge(UNSEEN, quiet, { settleMs: 500, maxWaitMs: 3_000 }).verdict, "wait");
    const state = { mutations: 0, traffic: 0, parsed: true, changedAt: 0, timersSet: 0, byMutation: false };
    assert.equal(judge(state, { ...quiet, page: 1_500 }, { settleMs: 500, maxWaitMs: 3_000 }).verdict, "quiet");
  });

  it("always ends, and is never quiet within seconds of a change", () => {
    const sample = fc.record({
      parsed: fc.boolean(),
      mutations: fc.nat(3),
      traffic: fc.nat(3),
      pending: fc.nat(1),
    });
    fc.assert(
      fc.property(fc.array(sample, { minLength: 101, maxLength: 101 }), (samples) => {
        const verdicts = watch((step) => samples[step]!, samples.length);
        assert.notEqual(verdicts.at(-1), "wait");
        if (verdicts.at(-1) !== "quiet") return;
        const end = verdicts.length - 1;
        const last = samples[end]!;
        // At the cap half a second is enough, when nothing is to be expected.
        for (const earlier of samples.slice(end - (end === samples.length - 1 ? 1 : 5), end)) {
          assert.deepEqual([earlier.mutations, earlier.traffic], [last.mutations, last.traffic]);
        }
        assert.deepEqual([last.parsed, last.pending], [true, 0]);
      }),
    );
  });
});

describe("unrest", () => {
  const changed = { mutations: 5, traffic: 5, parsed: true, changedAt: 9_900, timersSet: 0, byMutation: true };
  const unrest = (over: Partial<Sample>, byMutation = true, busy = 0) =>
    unrestOf({ ...changed, byMutation }, { ...quiet, page: 10_000, ...over }, busy, {
      settleMs: 500,
      maxWaitMs: 10_000,
    });

  it("names what a page was still doing", () => {
    assert.equal(unrest({}), "still_changing");
    assert.equal(unrest({}, false), "still_requesting");
    assert.equal(unrest({ pending: 1 }), "still_requesting");
    assert.equal(unrest({ pending: 1 }, true, 1), "worker_busy");
    assert.equal(unrest({ page: 15_000, timers: 1 }), "timer_pending");
  });
});

describe("slice", () => {
  const state = { mutations: 0, traffic: 0, parsed: true, changedAt: 0, timersSet: 0, byMutation: false };
  const next = (over: Partial<Sample>, live = false, settleMs = 500) =>
    slice(state, { ...quiet, ...over }, { ...limits, settleMs }, live);

  it("gives at least a frame of real time, or real speed to a live page", () => {
    assert.deepEqual(next({}), { page: 250, wall: 17 });
    assert.deepEqual(next({}, true), { page: 250, wall: 250 });
    assert.deepEqual(next({ pending: 1, page: 4_000 }, true), { page: 250, wall: 250 });
    assert.deepEqual(next({ pending: 1 }, false, 0), { page: 1, wall: 1 });
  });

  it("leaps to the end of the wait when nothing is to be expected, and takes longer steps where a timer is", () => {
    assert.deepEqual(next({ page: 500 }), { page: 4_500, wall: 17 });
    assert.deepEqual(next({ page: 500 }, true), { page: 4_500, wall: 17 });
    assert.deepEqual(next({ page: 500, timers: 1 }), { page: 1_000, wall: 17 });
    assert.deepEqual(next({ page: 9_000, repeating: 1 }), { page: 250, wall: 17 });
  });
});
