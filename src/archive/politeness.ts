/** How a code host is treated: what the config sets, and what nobody needs to. */
import type { LanePolicy } from "../kernel/lane.ts";
import type { ArchiveConfig } from "./config/config.ts";

export const archiveLanePolicy = (limits: ArchiveConfig["limits"], crawlDelayMs: number): LanePolicy => ({
  concurrency: limits.per_host_concurrency,
  intervalMs: Math.max(1000 / limits.req_per_sec, crawlDelayMs),
  // 429 without a Retry-After: a minute, then twice as long each time, forgotten after half a quiet hour.
  throttledMs: 60_000,
  maxThrottledMs: 60 * 60_000,
  forgetThrottledMs: 30 * 60_000,
  // There is always an interval of its own to lengthen.
  overloadedIntervalMs: 0,
  minPace: 0.05,
  halveEvery: 0,
  recovery: 0.1,
  blockAfter: 10,
  probeMs: 10_000,
  maxProbeMs: 10 * 60_000,
  giveUpAfter: 4,
  // There is one host: what waits for it is the archive, and stays open for a later run.
  onGiveUp: "park",
});
