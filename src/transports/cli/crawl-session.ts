/** A crawl from its first line to its last: announces it, shows how it goes, obeys Ctrl-C, and hands over its end. */
import type { ActiveCrawl } from "../../app/crawls/active-crawl.ts";
import type { Crawls } from "../../app/crawls/crawls.ts";
import type { Cli } from "./cli.ts";
import { concludeCrawl } from "./crawl-end.ts";
import { Interrupts } from "./obey-interrupts.ts";
import { startText } from "./output/crawl-name.ts";
import type { Step } from "./output/next-steps.ts";
import { progressEvent, progressLine } from "./output/progress.ts";
import { ProgressReporter } from "./progress-reporter.ts";

export interface SessionOptions {
  json: boolean;
  /** What has to be typed before the crawl can be resumed, if anything. */
  beforeResume: Step[];
}

/** Starts a crawl and follows it to its end. `interrupted` tells `start` of a Ctrl-C. Returns the exit code. */
export async function runCrawl(
  cli: Cli,
  crawls: Crawls,
  start: (interrupted: AbortSignal) => Promise<ActiveCrawl>,
  options: SessionOptions,
): Promise<number> {
  const interrupts = new Interrupts();
  // Whoever reads the output has gone: the same as Ctrl-C.
  cli.terminal.onClosed = () => interrupts.press(1);
  try {
    const active = await start(interrupts.signal);
    const { id, record, site } = active;
    announce(cli, crawls, active, options.json);
    const reporter = new ProgressReporter(cli.terminal, options.json, {
      progress: () => site.progress(),
      counted: ({ crawled }) => crawled,
      earlierMs: record.durationMs,
      line: progressLine,
      event: (facts) => progressEvent(id, facts),
    });
    interrupts.obey(site, (text) => reporter.say(text));
    const end = await active.ended;
    reporter.end();
    return concludeCrawl(cli, crawls, end, options);
  } finally {
    interrupts.end();
  }
}

function announce({ terminal }: Cli, crawls: Crawls, { id, record }: ActiveCrawl, json: boolean): void {
  const database = crawls.home.crawlDatabase(id);
  const { bold, dim } = terminal.style;
  if (json) terminal.json({ event: "start", id, startUrls: record.startUrls, database });
  else terminal.lines([`${bold(`Crawl ${id}`)} of ${startText(record)}`, dim(`Data in ${database}`), ""]);
}
