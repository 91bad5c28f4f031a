/** How a crawl of the network goes, in one line: repos by result, records, speed, hosts, and how long it will take. */
import type { AtprotoProgress } from "../../../../atproto/crawl-tally.ts";
import { count, duration, stopwatch } from "../../output/numbers.ts";
import type { ProgressFacts } from "../../output/progress.ts";
import { cut } from "../../output/width.ts";

const MEGABYTE = 1_000_000;

export function crawlLine({ progress, perSecond, elapsedMs }: ProgressFacts<AtprotoProgress>, width: number): string {
  const { state, stored, failed, records, open, hosts, etaSeconds } = progress;
  const parts = [
    `${count(stored)} repos`,
    `${count(open)} open`,
    `${count(records)} records`,
    `${perSecond.toFixed(1)} repos/s`,
    `${(progress.bytesPerSecond / MEGABYTE).toFixed(1)} MB/s`,
    `hosts ${count(hosts.active)} active, ${count(hosts.waiting)} waiting, ${count(hosts.blocked)} blocked`,
    etaSeconds === null || etaSeconds === 0 ? "" : `${duration(etaSeconds * 1_000)} left`,
    stopwatch(elapsedMs),
    // Last, because it may be long, and a narrow terminal cuts it off.
    failedText(failed),
  ];
  if (state === "pausing" || state === "stopping") parts.unshift(state);
  return cut(parts.filter((part) => part !== "").join(" · "), width);
}

/** `12 failed (not_found 9, timeout 3)`: the commonest first. */
function failedText(failed: AtprotoProgress["failed"]): string {
  const classes = Object.entries(failed).sort(([, a], [, b]) => b - a);
  const sum = classes.reduce((total, [, many]) => total + many, 0);
  if (sum === 0) return "";
  return `${count(sum)} failed (${classes.map(([name, many]) => `${name} ${count(many)}`).join(", ")})`;
}
