/** How a crawl goes, in one line: the counts, and the speed of the last few seconds. */
import type { CrawlCounts } from "../../../app/crawls/active-crawl.ts";
import { count } from "../../texts.ts";
import { roundCount, stopwatch } from "./numbers.ts";
import { cut, widthOf } from "./width.ts";

export interface ProgressFacts<Progress> {
  progress: Progress;
  perSecond: number;
  elapsedMs: number;
}

/** Small rates with a decimal, large ones whole. */
export const rateText = (perSecond: number): string =>
  `${perSecond >= 100 ? count(Math.round(perSecond)) : perSecond.toFixed(1)} pages/s`;

export function progressLine({ progress, perSecond, elapsedMs }: ProgressFacts<CrawlCounts>, width: number): string {
  const { crawled, open, skipped, recorded, errors, state } = progress;
  const ending = state === "pausing" || state === "stopping" ? [state] : [];
  const parts = (number: (value: number) => string, rate: string): string[] => [
    ...ending,
    `${number(crawled)} crawled`,
    `${number(open)} open`,
    `${number(skipped + recorded)} skipped`,
    `${number(errors)} ${errors === 1 ? "error" : "errors"}`,
    rate,
    stopwatch(elapsedMs),
  ];
  const whole = parts(count, rateText(perSecond)).join(" · ");
  // All of it, though rounded, tells more in a narrow terminal than its beginning.
  return widthOf(whole) <= width ? whole : cut(parts(roundCount, `${roundCount(perSecond)}/s`).join(" "), width);
}

export const progressEvent = (id: number, facts: ProgressFacts<CrawlCounts>): Record<string, unknown> => ({
  event: "progress",
  id,
  ...flatFacts(facts),
});

/** As one object for programs. */
export const flatFacts = <Progress extends object>({ progress, perSecond, elapsedMs }: ProgressFacts<Progress>) => ({
  ...progress,
  perSecond: Math.round(perSecond * 10) / 10,
  elapsedMs: Math.round(elapsedMs),
});
