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
    const at = (seconds: number) => ({ at: seconds * 1_000, rate: 1 });
    assert.deepEqual(withGaps([at(1), at(2), at(40), at(41)]), [at(1), at(2), { at: 3_000 }, at(40), at(41)]);
    assert.deepEqual(withGaps([]), []);
  });

  it("says how long a host waits", () => {
    assert.equal(waitText({ nextAt: 61_000, state: "throttled" }, 1_000), "1 min left");
    assert.equal(waitText({ nextAt: 1_200, state: "waiting" }, 1_000), "");
    assert.equal(waitText({ nextAt: 61_000, state: "given_up" }, 1_000), "");
  });
});
