/** A crawl from its first line to its last: announces it, shows how it goes, obeys Ctrl-C, and hands over its end. */
import type { ActiveCrawl, Crawls } from "../../app/crawls.ts";
import type { Cli } from "./cli.ts";
import { concludeCrawl } from "./crawl-end.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { startText } from "./output/crawl-name.ts";
import type { Step } from "./output/next-steps.ts";
import { counted } from "./output/numbers.ts";
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
    const reporter = new ProgressReporter(cli.terminal, options.json, id, site, record.durationMs);
    interrupts.obey(active, (text) => reporter.say(text));
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

/** Ctrl-C, before and while a crawl runs: the first pauses, the second stops at once, the third leaves. */
class Interrupts {
  readonly end: () => void = listenForInterrupts((presses) => this.press(presses));
  readonly #controller = new AbortController();
  #presses = 0;
  #act: (presses: number) => void = () => {};

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  press(presses: number): void {
    if (presses > 2) process.exit(3);
    this.#presses = presses;
    this.#controller.abort();
    this.#act(presses);
  }

  obey({ site }: ActiveCrawl, say: (text: string) => void): void {
    this.#act = (presses) => {
      if (presses > 1) {
        say("Stopping at once. What was under way is fetched again when you resume.");
        void site.stop();
        return;
      }
      const { inFlight } = site.progress();
      if (inFlight > 0) say(`Pausing, with ${counted(inFlight, "request")} under way. Ctrl-C again stops at once.`);
      void site.pause().then(() => site.stop());
    };
    if (this.#presses > 0) this.#act(this.#presses);
  }
}
