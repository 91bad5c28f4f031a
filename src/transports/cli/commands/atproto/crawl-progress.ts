/** How a crawl of the network goes, in one line: repos by result, records, speed, hosts, and how long it will take. */
import type { AtprotoProgress } from "../../../../atproto/crawl-tally.ts";
import { count, counted, duration, stopwatch } from "../../output/numbers.ts";
import type { ProgressFacts } from "../../output/progress.ts";
import { cut } from "../../output/width.ts";

const MEGABYTE = 1_000_000;

export function crawlLine({ progress, perSecond, elapsedMs }: ProgressFacts<AtprotoProgress>, width: number): string {
  const { state, stored, failed, records, open, hosts, etaSeconds } = progress;
  const failures = Object.entries(failed).sort(([, a], [, b]) => b - a);
  const failedCount = failures.reduce((total, [, many]) => total + many, 0);
  // What matters most comes first: a narrow terminal cuts the rest off.
  const parts = [
    counted(stored, "repo"),
    failedCount === 0 ? "" : `${count(failedCount)} failed`,
    `${count(open)} open`,
    `${perSecond.toFixed(1)} repos/s`,
    `${(progress.bytesPerSecond / MEGABYTE).toFixed(1)} MB/s`,
    etaSeconds === null || etaSeconds === 0 ? "" : `${etaText(etaSeconds)} left`,
    stopwatch(elapsedMs),
    `hosts ${count(hosts.active)} active, ${count(hosts.waiting)} waiting, ${count(hosts.blocked)} blocked`,
    counted(records, "record"),
    // The commonest first.
    failures.map(([name, many]) => `${name} ${count(many)}`).join(", "),
  ];
  if (state === "pausing" || state === "stopping") parts.unshift(state);
  return cut(parts.filter((part) => part !== "").join(" · "), width);
}

/** It is a guess: tenths of a second would be too much said. */
const etaText = (seconds: number): string =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : duration(Math.round(seconds) * 1_000);
