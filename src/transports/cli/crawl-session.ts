/** A crawl from its first line to its last: announces it, shows how it goes, obeys Ctrl-C, and concludes it. */
import type { App } from "../../app/app.ts";
import type { ActiveCrawl } from "../../app/crawls/active-crawl.ts";
import type { Cli } from "./cli.ts";
import { concludeCrawl, type SessionOptions } from "./crawl-end.ts";
import { Interrupts } from "./interrupts.ts";
import { startText } from "./output/crawl-name.ts";
import { progressEvent, progressLine } from "./output/progress.ts";
import { ProgressReporter } from "./progress-reporter.ts";

/** Starts a crawl and follows it to its end. `interrupted` tells `start` about a Ctrl-C. Returns the exit code. */
export async function runCrawl(
  cli: Cli,
  app: App,
  start: (interrupted: AbortSignal) => Promise<{ crawlId: number }>,
  options: SessionOptions,
): Promise<number> {
  const interrupts = new Interrupts();
  // Whoever reads the output has gone: the same as Ctrl-C.
  cli.terminal.onClosed = () => interrupts.press(1);
  try {
    const { crawlId } = await start(interrupts.signal);
    const active = app.activeCrawls.running(crawlId);
    announce(cli, app, active.record, options.json);
    const reporter = new ProgressReporter(cli.terminal, options.json, {
      progress: () => active.site.progress(),
      counted: ({ crawled }) => crawled,
      earlierMs: active.record.durationMs,
      line: progressLine,
      event: (facts) => progressEvent(crawlId, facts),
    });
    interrupts.obey(active.site, (text) => reporter.say(text));
    const end = await active.ended;
    reporter.end();
    return await concludeCrawl(cli, app, { id: crawlId, ...end }, options);
  } finally {
    interrupts.end();
  }
}

export function announce(
  { terminal }: Cli,
  { home }: App,
  { id, mode, startUrls }: Pick<ActiveCrawl["record"], "id" | "mode" | "startUrls">,
  json: boolean,
): void {
  const database = home.crawlDatabase(id);
  const { bold, dim } = terminal.style;
  if (json) terminal.json({ event: "start", id, startUrls, database });
  else terminal.lines([`${bold(`Crawl ${id}`)} of ${startText({ mode, startUrls })}`, dim(`Data in ${database}`), ""]);
}
