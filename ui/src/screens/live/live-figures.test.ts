import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { timeLeft, waitText } from "./live-figures.ts";

describe("the live screen", () => {
  it("estimates the time left only when it can", () => {
    assert.equal(timeLeft(100, 10), 10_000);
    assert.equal(timeLeft(100, 0), null);
    assert.equal(timeLeft(0, 10), null);
  });

  it("says how long a host waits", () => {
    assert.equal(waitText({ nextAt: 61_000, state: "throttled" }, 1_000), "1 min left");
    assert.equal(waitText({ nextAt: 1_200, state: "waiting" }, 1_000), "");
    assert.equal(waitText({ nextAt: 61_000, state: "given_up" }, 1_000), "");
  });
});
