import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../kernel/clock.ts";
import { Deadlines, Watch, type Watched } from "./deadlines.ts";
import { TEST_LIMITS } from "./testing/options.ts";

const limits = {
  ...TEST_LIMITS,
  totalMs: 1_000,
  headersMs: 100,
  idleMs: 50,
  minBytesPerSecond: 1_000,
  minRateGraceMs: 200,
};

test("before the request is sent only the total counts, which the exchange checks", () => {
  const deadlines = new Deadlines(limits);
  assert.equal(deadlines.broken(1_000, 0), null);
  assert.equal(deadlines.broken(1_001, 0), null);
});

test("the headers have their own limit, from the moment of sending", () => {
  const deadlines = new Deadlines(limits);
  deadlines.sent(300);
  assert.equal(deadlines.broken(400, 0), null);
  assert.equal(deadlines.broken(401, 0), "headers_timeout");
});

test("a body may pause, not stop", () => {
  const deadlines = new Deadlines(limits);
  deadlines.sent(0);
  deadlines.headersRead(10);
  assert.equal(deadlines.broken(60, 0), null);
  assert.equal(deadlines.broken(61, 0), "idle_timeout");
  assert.equal(deadlines.broken(61, 5_000), null);
  assert.equal(deadlines.broken(111, 5_000), null);
  assert.equal(deadlines.broken(112, 5_000), "idle_timeout");
});

test("a fast beginning does not pay for dripping after it", () => {
  const deadlines = new Deadlines({ ...limits, totalMs: 1e9, idleMs: 1e9 });
  deadlines.sent(0);
  deadlines.headersRead(0);
  assert.equal(deadlines.broken(201, 1_000_000), null);
  assert.equal(deadlines.broken(401, 1_000_001), null);
  assert.equal(deadlines.broken(402, 1_000_001), "too_slow");
});

test("a rate of exactly the minimum is enough", () => {
  const deadlines = new Deadlines({ ...limits, idleMs: 1e9 });
  deadlines.sent(0);
  deadlines.headersRead(0);
  assert.equal(deadlines.broken(250, 250), null);
});

test("time in which nothing could be read does not count, and does not hide a rate that is too low", () => {
  const deadlines = new Deadlines({ ...limits, idleMs: 100 });
  deadlines.sent(0);
  deadlines.headersRead(0);
  assert.equal(deadlines.broken(90, 50), null);
  deadlines.waited(10_090, 10_000);
  assert.equal(deadlines.broken(10_150, 90), null, "90 bytes, and 150 ms that count");
  deadlines.waited(10_160, 5);
  assert.equal(deadlines.broken(10_205, 91), null);
  assert.equal(deadlines.broken(10_206, 92), "too_slow", "however often it waited");
});

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

test("after a stall, real time counts, once what arrived meanwhile has been read", async () => {
  const hand = handClock();
  let real = 0;
  const watch = new Watch(hand.clock, () => real, { ...TEST_LIMITS, idleMs: 800 });
  const seen: number[] = [];
  watch.add({ check: (now) => seen.push(now) });
  for (let stall = 1; stall <= 3; stall++) {
    real += 60_000;
    hand.fire();
    assert.equal(seen.length, stall - 1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(seen.at(-1), stall * 60_000);
  }
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
