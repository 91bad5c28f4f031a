/** How a crawl ended: the summary for people, the last line for programs, and the exit code. */
import type { Crawls } from "../../app/crawls/crawls.ts";
import type { CrawlRecord } from "../../app/crawls/registry.ts";
import type { CrawlEnd } from "../../kernel/crawl.ts";
import { type SiteSummary, summarize } from "../../site/store/summary.ts";
import type { Cli } from "./cli.ts";
import type { SessionOptions } from "./crawl-session.ts";
import { afterCrawl, stepLines, toResume } from "./output/next-steps.ts";
import { count, duration } from "./output/numbers.ts";
import { summaryLines, totalsText } from "./output/summary.ts";
import { wrap } from "./output/width.ts";
import { reportError } from "./report-error.ts";
import { startProblem } from "./start-problem.ts";

/** How many broken and slow pages are listed; `trawl urls` has them all. */
const LISTED = 5;

export function concludeCrawl(
  cli: Cli,
  crawls: Crawls,
  { record, state, error }: CrawlEnd & { record: CrawlRecord },
  options: SessionOptions,
): number {
  const reader = crawls.read(record.id);
  try {
    const summary = summarize(reader);
    const problem = state === "completed" ? startProblem(reader, record) : null;
    const failure = state === "failed" ? error : problem;
    if (options.json) {
      if (failure !== null) report(cli, failure, true);
      cli.terminal.json(endEvent(record, summary));
    } else {
      const database = crawls.home.crawlDatabase(record.id);
      if (failure === null || summary.pages > 0) cli.terminal.lines(endLines(cli, record, database, summary, options));
      if (failure !== null) report(cli, failure, false);
    }
    if (failure !== null) return 1;
    return record.state === "completed" ? 0 : 3;
  } finally {
    reader.close();
  }
}

const report = ({ terminal, env }: Cli, error: unknown, json: boolean): number =>
  reportError(error, { terminal, json, debug: Boolean(env["TRAWL_DEBUG"]) });

const endEvent = (record: CrawlRecord, summary: SiteSummary): Record<string, unknown> => ({
  event: "end",
  id: record.id,
  state: record.state,
  message: record.message,
  elapsedMs: record.durationMs,
  ...summary,
});

function endLines(
  { terminal, env }: Cli,
  record: CrawlRecord,
  database: string,
  summary: SiteSummary,
  options: SessionOptions,
): string[] {
  const { style, width, proseWidth } = terminal;
  const { id, state, message, durationMs } = record;
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
