/** How an archive or a scrape ended: statistics for people, the last line for programs, and the exit code. */
import type { CrawlEnd } from "../../../../kernel/crawl.ts";
import { clean, count, counted } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { type Step, stepLines } from "../../output/next-steps.ts";
import { bytes, duration } from "../../output/numbers.ts";
import { wrap } from "../../output/width.ts";
import { reportError } from "../../report-error.ts";
import type { RunOptions } from "./run-options.ts";
import type { SessionProgress } from "./session.ts";
import { type Counts, statisticsLines } from "./statistics.ts";
import { sameArchive } from "./workspace-option.ts";

export interface Ended {
  end: CrawlEnd;
  options: RunOptions;
  /** In this run. */
  fetched: number;
  elapsedMs: number;
  progress: SessionProgress;
  metrics: Counts;
  reasons: Counts;
  next: { done: Step[]; open: Step[] };
  problem: Error | null;
}

export function conclude(cli: Cli, ended: Ended): number {
  const { terminal, env } = cli;
  const { end, options, elapsedMs, progress, metrics, reasons, fetched } = ended;
  const failure = end.state === "failed" ? end.error : ended.problem;
  const isDone = end.state === "completed" && end.parked.length === 0;
  const report = (): number =>
    reportError(failure, { terminal, json: options.json === true, debug: Boolean(env["TRAWL_DEBUG"]) });
  let code = isDone ? 0 : 3;
  if (options.json) {
    if (failure !== null) code = report();
    const state = failure !== null ? "failed" : isDone ? "completed" : "paused";
    terminal.json({
      event: "end",
      ...progress,
      state,
      fetchedNow: fetched,
      elapsedMs: Math.round(elapsedMs),
      parked: end.parked,
      metrics,
      reasons,
    });
  } else {
    if (failure === null || fetched > 0) terminal.lines(endLines(cli, ended, isDone));
    if (failure !== null) code = report();
  }
  return code;
}

function endLines({ terminal, env }: Cli, ended: Ended, isDone: boolean): string[] {
  const { style, proseWidth } = terminal;
  const { end, fetched, progress, metrics, reasons, elapsedMs, options, next } = ended;
  const flags = sameArchive(options);
  const took = duration(elapsedMs);
  const sums = `${counted(fetched, "URL")} fetched, ${count(progress.fetched)} in all; ${bytes(metrics["bytes_saved"] ?? 0)} of new pages`;
  const headline = isDone
    ? `Done in ${took}: ${sums}.`
    : `Paused after ${took}: ${sums}; ${count(progress.open)} open. Nothing is lost.`;
  const silent =
    end.parked.length === 0 ? [] : [`${clean(end.parked.join(", "))} stopped answering; its pages stay queued.`];
  return [
    ...wrap(headline, proseWidth),
    ...silent,
    ...statisticsLines(terminal, metrics, reasons),
    "",
    style.bold("Next"),
    ...stepLines(typed(isDone ? next.done : next.open, flags), style, env),
  ];
}

const typed = (steps: Step[], flags: string): Step[] =>
  steps.map(([command, meaning]) => [`archive ${command}${flags}`, meaning]);
