/** How a crawl ended: the summary for people, the last line for programs, and the exit code. */
import type { App } from "../../app/app.ts";
import { type DescribedCrawl, describeCrawl } from "../../app/operations/crawls.ts";
import { ask } from "../../app/operations/operation.ts";
import { type ErrorCode, TrawlError } from "../../errors.ts";
import { count } from "../texts.ts";
import type { Cli } from "./cli.ts";
import { afterCrawl, type Step, stepLines, toResume } from "./output/next-steps.ts";
import { duration } from "./output/numbers.ts";
import { summaryLines, totalsText } from "./output/summary.ts";
import { wrap } from "./output/width.ts";
import { reportError } from "./report-error.ts";

export interface SessionOptions {
  json: boolean;
  /** What has to be typed before the crawl can be resumed, if anything. */
  beforeResume: Step[];
}

interface EndedCrawl {
  id: number;
  state: "completed" | "stopped" | "failed";
  error?: unknown;
}

/** How many broken and slow pages are listed; `trawl urls` has them all. */
const LISTED = 5;

/** Says how a crawl ended, and returns the exit code. */
export async function concludeCrawl(cli: Cli, app: App, end: EndedCrawl, options: SessionOptions): Promise<number> {
  const described = await ask(app, describeCrawl, { id: end.id, listed: LISTED });
  const failure = failureOf(end, described);
  if (options.json) {
    if (failure !== null) report(cli, failure, true);
    cli.terminal.json(endEvent(described));
  } else {
    const database = app.home.crawlDatabase(end.id);
    if (failure === null || described.summary.pages > 0)
      cli.terminal.lines(endLines(cli, described, database, options));
    if (failure !== null) report(cli, failure, false);
  }
  if (failure !== null) return 1;
  return described.crawl.state === "completed" ? 0 : 3;
}

function failureOf({ state, error }: EndedCrawl, { problem }: DescribedCrawl): unknown {
  if (state === "failed") return error;
  if (state !== "completed" || problem === null) return null;
  return new TrawlError(problem.code as ErrorCode, problem.message, { hint: problem.hint });
}

const report = ({ terminal, env }: Cli, error: unknown, json: boolean): number =>
  reportError(error, { terminal, json, debug: Boolean(env["TRAWL_DEBUG"]) });

const endEvent = ({ crawl, summary }: DescribedCrawl): Record<string, unknown> => ({
  event: "end",
  id: crawl.id,
  state: crawl.state,
  message: crawl.message,
  elapsedMs: crawl.durationMs,
  ...summary,
});

function endLines(
  { terminal, env }: Cli,
  { crawl, summary }: DescribedCrawl,
  database: string,
  options: SessionOptions,
): string[] {
  const { style, width, proseWidth } = terminal;
  const { id, state, message, durationMs } = crawl;
  if (state !== "completed") {
    const why = message === null ? "" : ` (${message})`;
    const headline = `${style.bold("Paused")} after ${duration(durationMs)}${why}: ${count(summary.crawled)} crawled, ${count(summary.open)} open.`;
    return [
      ...wrap(`${headline} Nothing is lost.`, width),
      ...stepLines([...options.beforeResume, ...toResume(id)], style, env, width),
    ];
  }
  return [
    ...wrap(`Done in ${duration(durationMs)}: ${totalsText(summary)}`, proseWidth),
    // Said at the start too; by now that may have scrolled away.
    style.dim(`Data in ${database}`),
    ...summaryLines(summary, { style, width, proseWidth, listed: LISTED }),
    "",
    style.bold("Next"),
    ...stepLines(afterCrawl(id), style, env, width),
  ];
}
