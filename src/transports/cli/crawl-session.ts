/** A crawl from its first line to its last: announces it, shows its progress, obeys Ctrl-C, and prints how it ended. */

import type { App } from "../../app/app.ts";
import type { ActiveCrawl } from "../../app/crawls/active-crawl.ts";
import type { CrawlRecord } from "../../app/crawls/registry.ts";
import { type DescribedCrawl, describeCrawl } from "../../app/operations/crawls.ts";
import { type IssueAnswer, listIssues } from "../../app/operations/issues.ts";
import { ask } from "../../app/operations/operation.ts";
import { type ErrorCode, TrawlError } from "../../errors.ts";
import { clean, codeWords, count, counted, duration, unicodeHosts } from "../texts.ts";
import { type Cli, withApp } from "./cli.ts";
import type { CrawlOptionValues } from "./crawl-options.ts";
import { Interrupts } from "./interrupts.ts";
import { auditEvent, isMatch, issueSection } from "./output/issues.ts";
import { ProgressReporter, progressEvent, progressLine, requestTeller } from "./output/progress.ts";
import { afterCrawl, type Step, startText, stepLines, summaryLines, toResume, totalsText } from "./output/summary.ts";
import { wrap } from "./output/table.ts";
import { programName } from "./output/terminal.ts";
import { reportError } from "./report-error.ts";
import { type ReportFiles, writeReports } from "./report-files.ts";

/** Opens the app for one crawl, and traces its requests: to a file if one is given, or one per line. */
export function withCrawlApp(
  cli: Cli,
  { trace, verbose }: Pick<CrawlOptionValues, "trace" | "verbose">,
  use: (app: App) => Promise<number>,
): Promise<number> {
  const onExchange = verbose === true ? requestTeller(cli.terminal) : undefined;
  return withApp(cli, use, { favicons: false, trace, onExchange });
}

/** Starts a crawl and follows it to its end. `interrupted` tells `start` about a Ctrl-C. Returns the exit code. */
export async function runCrawl(
  cli: Cli,
  app: App,
  start: (interrupted: AbortSignal) => Promise<{ crawlId: number }>,
  options: SessionOptions,
): Promise<number> {
  const interrupts = new Interrupts();
  // Nobody reads the output any more: treated like Ctrl-C.
  cli.terminal.onClosed = () => interrupts.press(1);
  try {
    const { crawlId } = await start(interrupts.signal);
    const active = app.activeCrawls.running(crawlId);
    announce(cli, app, active.record, options);
    const reporter = new ProgressReporter(cli.terminal, options.json, {
      quiet: options.quiet,
      progress: () => active.counts(),
      counted: ({ pages }) => pages,
      earlierMs: active.record.durationMs,
      line: progressLine,
      trouble: ({ trouble }) => trouble,
      event: (facts) => ({ ...progressEvent(crawlId, facts), traps: active.site.stoppedTraps() }),
      news: newTraps(active),
    });
    interrupts.obey(active.site, (text) => reporter.say(text));
    const end = await active.ended;
    reporter.end();
    return await concludeCrawl(cli, app, { id: crawlId, ...end }, options);
  } finally {
    interrupts.end();
  }
}

/** Each trap is reported when it is stopped, so that missing pages are no surprise. */
function newTraps({ site }: ActiveCrawl): () => string[] {
  const reported = new Set<string>();
  return () =>
    site
      .stoppedTraps()
      .filter(({ shape }) => !reported.has(shape) && reported.add(shape))
      .map(({ shape, example }) => `Stopped ${clean(shape)}, which brings nothing new (such as ${clean(example)}).`);
}

export function announce(
  { terminal }: Cli,
  { home }: App,
  { id, mode, startUrls }: Pick<ActiveCrawl["record"], "id" | "mode" | "startUrls">,
  { json, quiet = false }: Pick<SessionOptions, "json" | "quiet">,
): void {
  if (quiet) return;
  const database = home.crawlDatabase(id);
  const { bold, dim } = terminal.style;
  if (json) terminal.json({ event: "start", id, startUrls, database });
  else terminal.lines([`${bold(`Crawl ${id}`)} of ${startText({ mode, startUrls })}`, dim(`Data in ${database}`), ""]);
}

/** How a crawl ended: the summary for people, the last line for programs, and the exit code. */
interface SessionOptions {
  json: boolean;
  /** Only errors are printed, and with `json` the last line. */
  quiet?: boolean;
  /** What makes a finished crawl a failure: severities and rules; see `--fail-on`. */
  failOn?: string[];
  /** Files to write about its audit. */
  reports?: ReportFiles;
  /** The command to run before the crawl can be resumed, if any. */
  beforeResume: Step[];
}

interface EndedCrawl {
  id: number;
  state: "completed" | "stopped" | "failed";
  error?: unknown;
}

/** How many broken and slow pages are listed; `trawl urls` has them all. */
const LISTED = 5;

/** Prints how a crawl ended, and returns the exit code. */
export async function concludeCrawl(cli: Cli, app: App, end: EndedCrawl, options: SessionOptions): Promise<number> {
  const described = await ask(app, describeCrawl, { id: end.id, listed: LISTED });
  const failure = failureOf(end, described);
  const issues = await ask(app, listIssues, { id: end.id });
  if (options.json) {
    if (failure !== null) report(cli, failure, true);
    cli.terminal.json({ ...endEvent(described), audit: auditEvent(issues) });
  } else {
    const database = app.home.crawlDatabase(end.id);
    if (options.quiet !== true && (failure === null || described.summary.pages > 0))
      cli.terminal.lines(endLines(cli, described, issues, database, options));
    if (failure !== null) report(cli, failure, false);
  }
  if (failure !== null) return 1;
  if (!isFinished(described.crawl.state)) return 3;
  if (options.reports !== undefined && issues.auditedAt !== null) {
    const written = await writeReports(app, end.id, options.reports);
    if (options.quiet !== true) for (const file of written) cli.terminal.note(`Wrote ${clean(file)}`);
  }
  return failsOn(cli, issues, options);
}

/** 4 when the audit found what `--fail-on` names, and when the crawl could not be audited. */
function failsOn({ terminal }: Cli, issues: IssueAnswer, { failOn = [] }: SessionOptions): number {
  if (failOn.length === 0) return 0;
  if (issues.auditedAt === null) {
    terminal.note("The crawl was not audited, so --fail-on cannot be checked.");
    return 1;
  }
  const found = issues.rows.filter((issue) => failOn.some((what) => isMatch(issue, what)));
  if (found.length === 0) return 0;
  terminal.note(
    `Failed on ${found.map(({ rule, open: urls }) => `${rule} (${counted(urls, "URL")})`).join(", ")}: see --fail-on.`,
  );
  return 4;
}

const isFinished = (state: CrawlRecord["state"]): boolean => state === "completed" || state === "limit_reached";

function failureOf({ state, error }: EndedCrawl, { problem }: DescribedCrawl): unknown {
  if (state === "failed") return error;
  if (problem === null) return null;
  return new TrawlError(problem.code as ErrorCode, problem.message, { hint: problem.hint });
}

const report = ({ terminal, env }: Cli, error: unknown, json: boolean): number =>
  reportError(error, { terminal, json, debug: Boolean(env["TRAWL_DEBUG"]) });

const endEvent = ({ crawl, summary }: DescribedCrawl): Record<string, unknown> => ({
  event: "end",
  id: crawl.id,
  state: crawl.state,
  message: crawl.message,
  ending: crawl.ending,
  durationMs: crawl.durationMs,
  // Understood until version 0.3.
  elapsedMs: crawl.durationMs,
  ...summary,
});

function endLines(
  { terminal, env }: Cli,
  { crawl, summary }: DescribedCrawl,
  issues: IssueAnswer,
  database: string,
  options: SessionOptions,
): string[] {
  const { style, width, proseWidth } = terminal;
  const { id, state, message, durationMs, ending } = crawl;
  if (!isFinished(state)) {
    const headline = `${style.bold(stateTitle(state))} after ${duration(durationMs)}: ${count(summary.crawled)} crawled, ${count(summary.open)} queued.`;
    const isTold =
      ending?.cause === "host_silent" || ending?.cause === "host_challenges" || ending?.cause === "machine_trouble";
    const why = isTold ? ` ${unicodeHosts(clean(ending.message!))}` : "";
    return [
      ...wrap(`${headline}${why} Nothing is lost.`, width),
      ...stepLines([...options.beforeResume, ...toResume(id)], style, env, width),
    ];
  }
  const ended = state === "completed" ? "Done in" : `${stateTitle(state)} after`;
  return [
    ...wrap(`${ended} ${duration(durationMs)}: ${totalsText(summary)}`, proseWidth),
    ...(message === null ? [] : wrap(unicodeHosts(clean(message)), proseWidth).map(style.warn)),
    // Printed at the start too, but that may have scrolled away.
    style.dim(`Data in ${database}`),
    ...summaryLines(summary, { style, width, proseWidth, listed: LISTED }),
    ...issueSection(issues, { id, program: programName(env), style, width }),
    "",
    style.bold("Next"),
    ...stepLines(afterCrawl(id), style, env, width),
  ];
}

/** `Limit reached`. */
function stateTitle(state: CrawlRecord["state"]): string {
  const words = codeWords(state);
  return words[0]!.toUpperCase() + words.slice(1);
}
