/** A crawl from its first line to its last: announces it, shows how it goes, obeys Ctrl-C, and says how it ended. */
import type { ActiveCrawl, Crawls } from "../../app/crawls.ts";
import type { CrawlRecord } from "../../app/registry.ts";
import { TrawlError } from "../../errors.ts";
import type { CrawlEnd } from "../../kernel/crawl.ts";
import { type SiteSummary, summarize } from "../../site/store/summary.ts";
import type { Cli } from "./cli.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { clean } from "./output/clean.ts";
import { afterCrawl, type Step, stepLines, toResume } from "./output/next-steps.ts";
import { duration } from "./output/numbers.ts";
import { summaryLines, totalsLine } from "./output/summary.ts";
import { ProgressReporter } from "./progress-reporter.ts";
import { reportError } from "./report-error.ts";
import { type StartProblem, startProblem } from "./start-problem.ts";

export interface SessionOptions {
  json: boolean;
  /** What has to be done before the crawl can be resumed, if anything. */
  beforeResume?: Step[];
}

/** How many broken and slow pages the end of a crawl lists; `trawl urls` has them all. */
const LISTED = 5;

/** Starts a crawl and follows it. Returns the exit code. */
export async function runCrawl(
  cli: Cli,
  crawls: Crawls,
  start: () => Promise<ActiveCrawl>,
  options: SessionOptions,
): Promise<number> {
  const interrupts = new Interrupts();
  // Whoever reads the output has gone: the same as Ctrl-C, and nothing is left to print to.
  cli.terminal.onClosed = () => interrupts.press(1);
  try {
    const active = await start();
    announce(cli, crawls, active, options);
    const reporter = new ProgressReporter(cli.terminal, options.json, active.id, active.site, active.record.durationMs);
    interrupts.obey(active, (text) => reporter.say(text));
    const end = await active.ended;
    reporter.end();
    return conclude(cli, crawls, end, options);
  } finally {
    interrupts.end();
  }
}

/** Ctrl-C while a crawl starts and runs. */
class Interrupts {
  #act: (presses: number) => void = () => {};
  #presses = 0;
  readonly end = listenForInterrupts((presses) => this.press(presses));

  press(presses: number): void {
    this.#presses = Math.max(this.#presses, presses);
    if (presses > 2) process.exit(3);
    this.#act(presses);
  }

  obey({ site }: ActiveCrawl, say: (text: string) => void): void {
    this.#act = (presses) => {
      if (presses > 1) {
        say("Stopping at once; requests under way are dropped and will be made again.");
        void site.stop();
      } else {
        const { inFlight } = site.progress();
        if (inFlight > 0) say(`Pausing: waiting for ${inFlight} under way. Ctrl-C again stops at once.`);
        void site.pause().then(() => site.stop());
      }
    };
    if (this.#presses > 0) this.#act(this.#presses);
  }
}

function announce(cli: Cli, crawls: Crawls, { id, record }: ActiveCrawl, { json }: SessionOptions): void {
  const database = crawls.home.crawlDatabase(id);
  const { style } = cli.terminal;
  if (json) cli.terminal.json({ event: "start", id, startUrls: record.startUrls, database });
  else cli.terminal.lines([`${style.bold(`Crawl ${id}`)} of ${startText(record)}`, style.dim(`Data in ${database}`)]);
}

const startText = ({ startUrls }: CrawlRecord): string =>
  clean(startUrls[0]!) + (startUrls.length > 1 ? ` and ${startUrls.length - 1} more hosts` : "");

function conclude(
  cli: Cli,
  crawls: Crawls,
  end: CrawlEnd & { record: CrawlRecord },
  options: SessionOptions,
): number {
  const { record, state, error } = end;
  const reader = crawls.read(record.id);
  try {
    const summary = summarize(reader);
    const problem = state === "completed" ? startProblem(reader, record, summary) : null;
    const failure = state === "failed" ? error : (problem?.fatal ?? null);
    const code = failure === null ? (record.state === "completed" ? 0 : 3) : 1;
    if (options.json) {
      if (failure !== null) reportJson(cli, failure);
      cli.terminal.json(endEvent(record, summary));
      return code;
    }
    if (failure !== null) reportText(cli, failure);
    cli.terminal.lines(endLines(cli, crawls, record, { summary, problem, failure, ...options }));
    return code;
  } finally {
    reader.close();
  }
}

const reportJson = (cli: Cli, error: unknown) => report(cli, error, true);
const reportText = (cli: Cli, error: unknown) => report(cli, error, false);
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
