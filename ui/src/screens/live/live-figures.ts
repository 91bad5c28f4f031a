/** Times on the live screen: how long a host waits, and how long the crawl still takes. */
import type { LiveHost } from "../../lib/contract.ts";
import { formatDuration } from "../../lib/format.ts";

/** Samples come once a second; a longer silence is a pause. */
const GAP_MS = 5_000;

/** The samples with an empty one in each pause, so that the line breaks there instead of bridging it. */
export function withGaps<Sample extends { at: number }>(series: readonly Sample[]): (Sample | { at: number })[] {
  return series.flatMap((sample, index) => {
    const before = series[index - 1];
    return before !== undefined && sample.at - before.at > GAP_MS ? [{ at: before.at + 1_000 }, sample] : [sample];
  });
}

/** How long a host still waits, in words; empty when it does not. */
export function waitText({ nextAt, state }: Pick<LiveHost, "nextAt" | "state">, now: number): string {
  if (nextAt === null || state === "given_up" || nextAt - now < 500) return "";
  return `${formatDuration(Math.round((nextAt - now) / 1000) * 1000)} left`;
}

/** Time left at the current speed, or null if unknown. It covers only URLs found so far. */
export function timeLeft(open: number, urlsPerSecond: number): number | null {
  return open > 0 && urlsPerSecond > 0.05 ? (open / urlsPerSecond) * 1000 : null;
}
