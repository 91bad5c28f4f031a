/** How an archive or a scrape ended: statistics in tables for people, the last line for programs, and the exit code. */

import { REASONS } from "../../../../app/archive/control.ts";
import type { Metrics } from "../../../../app/archive/run.ts";
import type { CrawlEnd } from "../../../../kernel/crawl.ts";
import { bytes, clean, count, counted, duration } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { type Step, stepLines } from "../../output/summary.ts";
import { table, wrap } from "../../output/table.ts";
import type { Terminal } from "../../output/terminal.ts";
import { reportError } from "../../report-error.ts";
import { type RunOptions, sameArchive } from "./archive-options.ts";
import type { SessionProgress } from "./session.ts";

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

/** What a run did, in tables: pages, responses, and what was not archived. */
export type Counts = Record<string, number>;

export const metricCounts = (metrics: Metrics): Counts => Object.fromEntries(metrics.entries());

export function statisticsLines({ style, proseWidth }: Terminal, counts: Counts, reasons: Counts): string[] {
  const at = (name: string): number => counts[name] ?? 0;
  const pages = [
    ["stored", at("pages_saved"), bytes(at("bytes_saved"))],
    ["not changed", at("not_modified_304"), "a 304: the stored page is still current"],
    ["not HTML", at("fetch_not_html"), "responses that are not HTML"],
    ["failed", at("fetch_fail_err"), "no response, or an error, after all retries"],
    ["retried", at("retries"), "failures that may be temporary"],
  ] as const;
  const answers = ["2xx", "3xx", "4xx", "5xx"].map((name) => [name, at(`status_${name}`), ""] as const);
  return [
    ...section("This run", pages),
    ...section("Responses", answers),
    ...section(
      "Not archived",
      Object.entries(reasons)
        .sort(([, one], [, other]) => other - one)
        .map(([reason, number]) => [reason, number, meaning(reason)] as const),
    ),
  ];

  function section(title: string, rows: readonly (readonly [string, number, string])[]): string[] {
    const shown = rows.filter(([, number]) => number > 0).map(([name, number, note]) => [name, count(number), note]);
    if (shown.length === 0) return [];
    const columns = [{ title: "" }, { title: "", align: "right" as const }, { title: "", wrapped: true, least: 20 }];
    return ["", style.bold(title), ...table({ columns, rows: shown, width: proseWidth, indent: 2 })];
  }
}

/** Reasons with their meanings; a reason from a newer version is shown without one. */
export const meaning = (reason: string): string =>
  Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS] : clean(reason);
