/** How a host of the web is treated, whatever product asks it; each puts its own rate and concurrency on top. */
import type { LanePolicy } from "../kernel/lane.ts";

export const WEB_HOST_POLICY: LanePolicy = {
  concurrency: 1,
  intervalMs: 0,
  // 429 without a Retry-After: a minute, then twice as long each time, forgotten after half a quiet hour.
  throttledMs: 60_000,
  maxThrottledMs: 60 * 60_000,
  forgetThrottledMs: 30 * 60_000,
  overloadedIntervalMs: 100,
  minPace: 0.05,
  halveEvery: 0,
  recovery: 0.1,
  blockAfter: 10,
  probeMs: 10_000,
  maxProbeMs: 10 * 60_000,
  giveUpAfter: 4,
  onGiveUp: "park",
};
