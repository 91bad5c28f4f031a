/** How a code host is treated. There is one: what waits for it is the archive, and stays open for a later run. */
import type { LanePolicy } from "../kernel/lane.ts";
import { WEB_HOST_POLICY } from "../politeness/host-policy.ts";
import type { ArchiveConfig } from "./config/archive-config.ts";

export const archiveLanePolicy = (limits: ArchiveConfig["limits"], crawlDelayMs: number): LanePolicy => ({
  ...WEB_HOST_POLICY,
  concurrency: limits.per_host_concurrency,
  intervalMs: Math.max(1000 / limits.req_per_sec, crawlDelayMs),
  // There is always an interval of its own to lengthen.
  overloadedIntervalMs: 0,
});
