/** A crawl of the network from its first line to its last: progress, Ctrl-C, and the exit code. */

import type { AtprotoProgress } from "../../../../app/atproto/crawl.ts";
import { AtprotoCrawl } from "../../../../app/atproto/crawl.ts";
import type { AtprotoConfig } from "../../../../app/atproto/settings.ts";
import { clean } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { Interrupts } from "../../interrupts.ts";
import { flatFacts } from "../../output/progress.ts";
import { ProgressReporter } from "../../progress-reporter.ts";
import { concludeCrawl } from "./crawl-end.ts";
import { crawlLine } from "./crawl-progress.ts";

/** Returns the exit code. */
export async function crawlSession(cli: Cli, config: AtprotoConfig, json: boolean): Promise<number> {
  const { terminal } = cli;
  const interrupts = new Interrupts();
  // The reader of the output is gone: the same as Ctrl-C.
  terminal.onClosed = () => interrupts.press(1);
  let reporter: ProgressReporter<AtprotoProgress> | null = null;
  const say = (text: string, event = "notice"): void => {
    if (json) terminal.json({ event, text });
    else if (reporter === null) terminal.note(clean(text));
    else reporter.say(clean(text));
  };
  const began = performance.now();
  try {
    if (json) terminal.json({ event: "start", source: config.source, outputDir: config.outputDir });
    else terminal.lines([`Crawling ${clean(config.source.join(", "))} into ${config.outputDir}`]);
    const crawl = await AtprotoCrawl.start({ config, events: { onNotice: (text) => say(text) } });
    if (crawl.metricsPort !== null) say(`Metrics at http://127.0.0.1:${crawl.metricsPort}/metrics`, "metrics");
    reporter = new ProgressReporter<AtprotoProgress>(terminal, json, {
      progress: () => crawl.progress(),
      counted: ({ stored }) => stored,
      earlierMs: 0,
      line: crawlLine,
      event: (facts) => ({ event: "progress", ...flatFacts(facts) }),
    });
    interrupts.obey(crawl, say);
    const end = await crawl.ended;
    reporter.end();
    return concludeCrawl(cli, { end, progress: crawl.progress(), config, json, elapsedMs: performance.now() - began });
  } finally {
    interrupts.end();
  }
}
