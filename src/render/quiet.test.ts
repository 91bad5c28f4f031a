import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { judge, type QuietVerdict, type Sample, slice, UNSEEN } from "./quiet.ts";

const limits = { settleMs: 500, maxWaitMs: 10_000 };
const quiet: Sample = { wall: 0, page: 0, parsed: true, mutations: 0, traffic: 0, pending: 0 };

/** The verdicts on a page seen every 100 ms of its own time. */
function watch(change: (step: number) => Partial<Sample>, steps: number, wallPerStep = 17): QuietVerdict[] {
  let state = UNSEEN;
  const verdicts: QuietVerdict[] = [];
  for (let step = 0; step < steps; step++) {
    const outcome = judge(state, { ...quiet, page: step * 100, wall: step * wallPerStep, ...change(step) }, limits);
    state = outcome.state;
    verdicts.push(outcome.verdict);
    if (outcome.verdict !== "wait") break;
  }
  return verdicts;
}

describe("judge", () => {
  it("waits for a quiet time from the start", () => {
    assert.deepEqual(
      watch(() => ({}), 99),
      ["wait", "wait", "wait", "wait", "wait", "quiet"],
    );
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

  it("caps a page that changes for ever, by its own time", () => {
    const verdicts = watch((step) => ({ mutations: step }), 999);
    assert.deepEqual([verdicts.length, verdicts.at(-1)], [101, "capped"]);
  });

  it("caps a page whose requests hang, by real time", () => {
    const verdicts = watch((step) => ({ page: 0, pending: 1, wall: step * 250 }), 999);
    assert.deepEqual([verdicts.length, verdicts.at(-1)], [41, "capped"]);
  });

  it("prefers quiet to capped when both are true", () => {
    const state = { mutations: 1, traffic: 1, parsed: true, changedAt: 9_500 };
    const sample = { ...quiet, mutations: 1, traffic: 1, page: 10_000, wall: 10_000 };
    assert.equal(judge(state, sample, limits).verdict, "quiet");
  });

  it("always ends, and is never quiet within settleMs of a change", () => {
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
        for (const earlier of samples.slice(end - 5, end)) {
          assert.deepEqual([earlier.mutations, earlier.traffic], [last.mutations, last.traffic]);
        }
        assert.deepEqual([last.parsed, last.pending], [true, 0]);
      }),
    );
  });
});

describe("slice", () => {
  it("gives at least a frame of real time, or real speed to a live page", () => {
    assert.deepEqual(slice(500, false), { page: 167, wall: 17 });
    assert.deepEqual(slice(500, true), { page: 167, wall: 167 });
    assert.deepEqual(slice(0, false), { page: 1, wall: 1 });
  });
});
