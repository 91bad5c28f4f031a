/** Times on the live screen: how long a host waits, and how long the crawl still takes. */
import type { LiveHost } from "../../lib/contract.ts";
import { formatDuration, msOf } from "../../lib/format.ts";

/** The samples with an empty one in each pause, so that the line breaks there instead of bridging it. */
export function withGaps<Sample extends { at: string; isAfterPause: boolean }>(
  series: readonly Sample[],
): (Sample | { at: string })[] {
  return series.flatMap((sample, index) => {
    const before = series[index - 1];
    if (before === undefined || !sample.isAfterPause) return [sample];
    return [{ at: new Date((msOf(before.at) + msOf(sample.at)) / 2).toISOString() }, sample];
  });
}

/** How long a host still waits, in words; empty when it does not. */
export function waitText({ nextAt, state }: Pick<LiveHost, "nextAt" | "state">, now: number): string {
  if (nextAt === null || state === "given_up") return "";
  const ms = msOf(nextAt) - now;
  return ms < 500 ? "" : `${formatDuration(Math.round(ms / 1000) * 1000)} left`;
}

/** Time left at the current speed, or null if unknown. It covers only URLs found so far. */
export function timeLeft(open: number, urlsPerSecond: number): number | null {
  return open > 0 && urlsPerSecond > 0.05 ? (open / urlsPerSecond) * 1000 : null;
}
