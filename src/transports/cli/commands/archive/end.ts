/** How an archive or a scrape ended: statistics in tables for people, the last line for programs, and the exit code. */

import { reasonMeaning } from "../../../../app/archive/control.ts";
import type { Failures, Metrics, RequisiteCounts, RestingHost, SpoolProblems } from "../../../../app/archive/run.ts";
import type { CrawlEnd } from "../../../../kernel/crawl.ts";
import { bytes, clean, count, counted, duration, moment, zoneOf } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { type Step, stepLines } from "../../output/summary.ts";
import { table, wrap } from "../../output/table.ts";
import type { Terminal } from "../../output/terminal.ts";
import { reportError } from "../../report-error.ts";
import { type RunOptions, sameArchive, sameReach } from "./archive-options.ts";
import { answerText } from "./failures.ts";
import type { SessionProgress } from "./session.ts";

export interface Ended {
  end: CrawlEnd;
  options: RunOptions;
  elapsedMs: number;
  progress: SessionProgress;
  metrics: Counts;
  reasons: Counts;
  next: { done: Step[]; open: Step[] };
  problem: Error | null;
  failures: Failures;
  /** Lines of a spool that are not fetched; null for a run without one. */
  problems: SpoolProblems | null;
}

export function conclude(cli: Cli, ended: Ended): number {
  const { terminal, env } = cli;
  const { end, options, elapsedMs, progress, metrics, reasons } = ended;
  const { fetchedNow: fetched } = progress;
  const failure = end.state === "failed" ? end.error : ended.problem;
  const isDone = end.state === "completed" && end.parked.length === 0;
  const isWhole = isDone && ended.failures.count === 0 && problemCount(ended.problems) === 0;
  const report = (): number =>
    reportError(failure, {
      terminal,
      json: options.json === true,
      debug: Boolean(env["TRAWL_DEBUG"]),
      command: "archive",
    });
  let code = isWhole ? 0 : isDone ? INCOMPLETE : 3;
  if (options.json) {
    if (failure !== null) code = report();
    const state = failure !== null ? "failed" : isWhole ? "completed" : isDone ? "incomplete" : "paused";
    terminal.json({
      event: "end",
      ...progress,
      state,
      elapsedMs: Math.round(elapsedMs),
      parked: end.parked,
      failures: ended.failures,
      ...(ended.problems !== null && { problems: ended.problems }),
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
  const { end, progress, metrics, reasons, elapsedMs, options, next } = ended;
  const took = duration(elapsedMs);
  const inAll = progress.inAll === undefined ? "" : `, ${count(progress.inAll)} in all`;
  const sums = `${counted(progress.fetchedNow, "URL")} fetched${inAll}; ${bytes(metrics["bytes_saved"] ?? 0)} of new pages`;
  const { failures } = ended;
  const paused = `Paused after ${took}: ${sums}; ${count(progress.open)} open.`;
  const headline = !isDone
    ? `${paused}${failures.count === 0 ? " Nothing is lost." : ""}`
    : failures.count + problemCount(ended.problems) === 0
      ? `Done in ${took}: ${sums}.`
      : `Ended after ${took}: ${sums}. Not everything could be fetched.`;
  return [
    ...wrap(headline, proseWidth),
    ...end.parked.flatMap((host) => wrap(parkedText(host, progress.resting), proseWidth)),
    ...(progress.pauses.includes("spool") ? wrap(SPOOL_FULL, proseWidth) : []),
    ...failureLines(failures),
    ...problemLines(ended.problems),
    ...requisiteLines(progress.requisites ?? null),
    ...statisticsLines(terminal, metrics, reasons),
    "",
    style.bold("Next"),
    ...stepLines(typed(isDone ? next.done : next.open, options), style, env),
  ];
}

/** A run came to its end, but not every page could be fetched. */
const INCOMPLETE = 4;

function parkedText(host: string, resting: readonly RestingHost[]): string {
  const rest = resting.find((one) => one.host === host);
  if (rest === undefined) return `${clean(host)} stopped answering; its pages stay queued.`;
  return `${restText(rest)} Its pages stay queued.`;
}

/** Until when a host rests, and why. */
export function restText({ host, until, why }: RestingHost): string {
  const when = until === null ? "is not requested any more" : `rests until ${clockTime(until * 1_000)}`;
  const said = clean(why);
  return `${clean(host)} ${when}: ${said}${/[.)]$/.test(said) ? "" : "."}`;
}

/** Why the first hosts rest, and how many others do: hundreds may rest at once. */
export function someRests(resting: readonly RestingHost[], shown: number): [rests: string[], more: string[]] {
  const more = resting.length - shown;
  const others = more === 1 ? "1 more host rests" : `${count(more)} more hosts rest`;
  return [resting.slice(0, shown).map(restText), more > 0 ? [others] : []];
}

/** The time of day in the user's time zone; with the date, if that is not today. */
function clockTime(time: number): string {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? `${date.toTimeString().slice(0, 8)} ${zoneOf(date)}` : moment(time);
}

/** Files that the pages need in order to look as they did. */
function requisiteLines(requisites: RequisiteCounts | null): string[] {
  if (requisites === null) return [];
  const { fetched, failed, refused, open } = requisites;
  const missing = [
    `${count(failed)} failed`,
    `${count(refused)} refused`,
    ...(open > 0 ? [`${count(open)} open`] : []),
  ];
  return [`What the pages need: ${counted(fetched, "file")} in the WARC, ${missing.join(", ")}.`];
}

function failureLines({ count: total, first, file }: Failures): string[] {
  if (total === 0) return [];
  const lines = first.map(({ url, http_status, error }) => `  ${answerText(http_status, error)}  ${clean(url)}`);
  const more = total - first.length;
  return [
    "",
    `${counted(total, "URL")} could not be fetched:`,
    ...lines,
    ...(more > 0 ? [`  and ${count(more)} more`] : []),
    `All of them are in ${file}`,
  ];
}

const SPOOL_FULL = "It was waiting: the spool is full (spool.budget_gb). `trawl archive scrape` makes room.";

const problemCount = (problems: SpoolProblems | null): number =>
  problems === null ? 0 : problems.damaged + problems.refused;

function problemLines(problems: SpoolProblems | null): string[] {
  if (problems === null || problemCount(problems) === 0) return [];
  const { damaged, refused, first, file } = problems;
  const more = damaged + refused - first.length;
  return [
    "",
    `${counted(damaged, "line")} of the spool damaged, ${count(refused)} refused by the policy:`,
    ...first.map(
      ({ file: name, line, url, why }) => `  ${name} line ${line}  ${clean(url === null ? why : `${url}  ${why}`)}`,
    ),
    ...(more > 0 ? [`  and ${count(more)} more`] : []),
    `All of them are in ${file}`,
  ];
}

const FETCHES = /^(?:run|resume|scrape)\b/;

const typed = (steps: Step[], options: RunOptions): Step[] =>
  steps.map(([command, meaning]) => {
    const reach = FETCHES.test(command) ? sameReach(options) : "";
    return [`archive ${command}${sameArchive(options)}${reach}`, meaning];
  });

/** What a run did, in tables: pages, responses, and what was not archived. */
export type Counts = Record<string, number>;

export const metricCounts = (metrics: Metrics): Counts => Object.fromEntries(metrics.entries());

export function statisticsLines({ style, proseWidth }: Terminal, counts: Counts, reasons: Counts): string[] {
  const at = (name: string): number => counts[name] ?? 0;
  const pages = [
    ["stored", at("pages_saved"), bytes(at("bytes_saved"))],
    ["not changed", at("not_modified_304"), "a 304: the stored page is still current"],
    ["not HTML", at("fetch_not_html"), "responses that are not HTML"],
    ["no page", at("fetch_fail_err"), "an error status, no response, or a page that is too large"],
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
export const meaning = (reason: string): string => reasonMeaning(reason) ?? clean(reason);
