/** The progress of an archive or a scrape, in one line. */

import type { PauseReason } from "../../../../app/archive/control.ts";
import type { ArchiveProgress, ScrapeProgress } from "../../../../app/archive/run.ts";
import { count } from "../../../texts.ts";
import { stopwatch } from "../../output/numbers.ts";
import { type ProgressFacts, rateText } from "../../output/progress.ts";
import { cut } from "../../output/width.ts";

export function archiveLine(facts: ProgressFacts<ArchiveProgress>, width: number): string {
  const { fetched, open, skipped, failed, pauses } = facts.progress;
  return joined(facts, pauses, width, [
    `${count(fetched)} fetched`,
    `${count(open)} open`,
    `${count(skipped)} refused`,
    `${count(failed)} failed`,
  ]);
}

export function scrapeLine(facts: ProgressFacts<ScrapeProgress>, width: number): string {
  const { fetched, open, read, stored, failed, pauses } = facts.progress;
  return joined(facts, pauses, width, [
    `${count(fetched)} fetched`,
    `${count(open)} open`,
    `${count(read)} read`,
    `${count(stored)} in the store`,
    `${count(failed)} failed`,
  ]);
}

function joined(
  { perSecond, elapsedMs }: ProgressFacts<unknown>,
  pauses: PauseReason[],
  width: number,
  counts: string[],
): string {
  const paused = pauses.length === 0 ? [] : [`paused (${pauses.join(", ")})`];
  return cut([...paused, ...counts, rateText(perSecond), stopwatch(elapsedMs)].join(" · "), width);
}
