import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../kernel/clock.ts";
import { TEST_LIMITS } from "./testing/options.ts";
import { Watch, type Watched } from "./watch.ts";

/** A clock whose timers fire when the test says so. */
function handClock() {
  let due: (() => void) | null = null;
  const clock: Clock = {
    now: () => 0,
    after: (_ms, callback) => {
      due = callback;
      return () => {};
    },
  };
  return {
    clock,
    armed: () => due !== null,
    fire: () => {
      const callback = due!;
      due = null;
      callback();
    },
  };
}

test("ticks while there is something to watch, and stops", () => {
  const hand = handClock();
  let real = 0;
  const watch = new Watch(hand.clock, () => real, { ...TEST_LIMITS, idleMs: 800 });
  const seen: number[] = [];
  const watched: Watched = { check: (now) => seen.push(now) };
  assert.equal(hand.armed(), false);
  watch.add(watched);
  for (let tick = 0; tick < 3; tick++) {
    real += 100;
    hand.fire();
  }
  assert.deepEqual(seen, [100, 200, 300]);
  watch.delete(watched);
  hand.fire();
  assert.equal(hand.armed(), false);
});

test("a stalled process is not held against the server", () => {
  const hand = handClock();
  let real = 0;
  const watch = new Watch(hand.clock, () => real, { ...TEST_LIMITS, idleMs: 800 });
  const seen: number[] = [];
  watch.add({ check: (now) => seen.push(now) });
  real += 60_000;
  hand.fire();
  assert.deepEqual(seen, [200]);
});

test("a deadline set between ticks never ends early", () => {
  const hand = handClock();
  let real = 0;
  const watch = new Watch(hand.clock, () => real, { ...TEST_LIMITS, idleMs: 800 });
  watch.add({ check: () => {} });
  real += 99;
  const start = watch.start;
  hand.fire();
  assert.ok(start >= 99);
});
