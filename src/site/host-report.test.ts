import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LaneReport } from "../kernel/lane.ts";
import { hostReport } from "./host-report.ts";

const report = (reason: LaneReport["reason"]): LaneReport => ({
  lane: "example.com",
  state: "waiting",
  reason,
  inFlight: 0,
  open: 3,
  nextAt: 5,
  spent: 1,
  pace: 1,
});

describe("host report", () => {
  it("tells whose wish an interval is: the longer one decides", () => {
    assert.equal(hostReport(report("interval"), 2, 0).reason, "rate");
    assert.equal(hostReport(report("interval"), 0, 1_000).reason, "crawl_delay");
    assert.equal(hostReport(report("interval"), 2, 1_000).reason, "crawl_delay");
    assert.equal(hostReport(report("interval"), 0.5, 1_000).reason, "rate");
  });

  it("leaves all else as it is", () => {
    assert.deepEqual(hostReport(report("backoff"), 2, 1_000), report("backoff"));
    assert.deepEqual(hostReport(report(null), 2, 1_000), report(null));
  });
});
