/** The clock of a fleet: intervals measured with it are not shorter than they are, whatever answers say. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FleetClock } from "./fleet-clock.ts";

describe("the fleet's clock", () => {
  it("does not shorten an interval when a slow first answer set it wrong", () => {
    let monotonic = 0;
    const clock = new FleetClock(() => monotonic);
    // The first answer was under way for 400 ms, all of it on the way back: the clock is 200 ms late.
    clock.hear(1_000_000, 0, 400);
    monotonic = 1_000;
    let before = clock.now();
    for (let second = 1; second <= 60; second++) {
      clock.hear(1_000_000 + monotonic, monotonic, monotonic);
      monotonic += 1_000;
      assert.ok(clock.now() - before <= 1_001, `second ${second} took ${clock.now() - before} ms`);
      before = clock.now();
    }
  });

  it("is not set again because the answer that set it was slow", () => {
    const clock = new FleetClock(() => 0);
    assert.equal(clock.hear(1_000_000, 0, 4_000), false, "two seconds late");
    assert.equal(clock.hear(1_005_000, 5_000, 5_000), false);
    assert.equal(clock.hear(1_009_500, 6_000, 6_000), true, "and three and a half seconds more are another time");
  });

  it("is set, and says so, when the database's time is another", () => {
    let monotonic = 0;
    const clock = new FleetClock(() => monotonic);
    assert.equal(clock.hear(1_000_000, 0, 10), false);
    monotonic = 1_000;
    assert.equal(clock.hear(1_001_500, 1_000, 3_000), false, "half of the way there and back explains it");
    assert.equal(clock.hear(1_004_000 + 60_000, 4_000, 4_000), true, "this machine slept for a minute");
    monotonic = 5_000;
    assert.equal(clock.now(), 1_065_000);
  });
});
