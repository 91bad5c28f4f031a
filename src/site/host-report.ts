/** What each host of a site crawl is doing and why it waits. */
import type { LaneReason, LaneReport } from "../kernel/lane.ts";

/** The kernel knows an interval; only here is it known whether it comes from robots.txt or the user. */
export type HostReason = Exclude<LaneReason, "interval"> | "crawl_delay" | "rate";

export interface HostReport extends Omit<LaneReport, "reason"> {
  reason: HostReason | null;
}

/** `rate`: requests per second that the settings allow, 0 for no limit; `crawlDelayMs`: the crawl-delay in robots.txt. */
export function hostReport(report: LaneReport, rate: number, crawlDelayMs: number): HostReport {
  if (report.reason !== "interval") return { ...report, reason: report.reason };
  const isDelay = crawlDelayMs > 0 && crawlDelayMs >= (rate > 0 ? 1000 / rate : 0);
  return { ...report, reason: isDelay ? "crawl_delay" : "rate" };
}
