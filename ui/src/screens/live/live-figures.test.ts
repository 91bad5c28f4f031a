import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { timeLeft, waitText, withGaps } from "./live-figures.ts";

describe("the live screen", () => {
  it("estimates the time left only when it can", () => {
    assert.equal(timeLeft(100, 10), 10_000);
    assert.equal(timeLeft(100, 0), null);
    assert.equal(timeLeft(0, 10), null);
  });

  it("breaks the line where the crawl was paused", () => {
    const time = (seconds: number) => new Date(seconds * 1_000).toISOString();
    const at = (seconds: number, isAfterPause = false) => ({ at: time(seconds), rate: 1, isAfterPause });
    const [first, second, third, fourth] = [at(1), at(2), at(4, true), at(41)];
    assert.deepEqual(withGaps([first, second, third, fourth]), [first, second, { at: time(3) }, third, fourth]);
    assert.deepEqual(withGaps([third, fourth]), [third, fourth]);
    assert.deepEqual(withGaps([]), []);
  });

  it("says how long a host waits", () => {
    assert.equal(waitText({ nextAt: "1970-01-01T00:01:01.000Z", state: "throttled" }, 1_000), "1 min left");
    assert.equal(waitText({ nextAt: "1970-01-01T00:00:01.200Z", state: "waiting" }, 1_000), "");
    assert.equal(waitText({ nextAt: "1970-01-01T00:01:01.000Z", state: "given_up" }, 1_000), "");
  });
});
