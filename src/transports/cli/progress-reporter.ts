/** Tells how a crawl goes while it goes: a line rewritten in place, JSON lines, or now and then a line beside the output. */
import type { SiteCrawl } from "../../site/site-crawl.ts";
import { type ProgressFacts, progressEvent, progressLine, RateMeter } from "./output/progress.ts";
import type { Terminal } from "./output/terminal.ts";

const CLEAR_LINE = "\r\u001b[2K";

/** A person sees it move; a script wants it now and then; a log is not to be filled. */
const INTERVALS_MS = { line: 200, json: 1_000, log: 5_000 };

type Manner = keyof typeof INTERVALS_MS;

export class ProgressReporter {
  readonly #terminal: Terminal;
  readonly #manner: Manner;
  readonly #id: number;
  readonly #site: Pick<SiteCrawl, "progress">;
  readonly #earlierMs: number;
  readonly #began = performance.now();
  readonly #rate = new RateMeter();
  readonly #timer: NodeJS.Timeout;

  /** `earlierMs`: how long the crawl ran before it was resumed. */
  constructor(terminal: Terminal, json: boolean, id: number, site: Pick<SiteCrawl, "progress">, earlierMs: number) {
    this.#terminal = terminal;
    this.#manner = json ? "json" : terminal.isInteractive ? "line" : "log";
    this.#id = id;
    this.#site = site;
    this.#earlierMs = earlierMs;
    this.#facts();
    this.#timer = setInterval(() => this.#report(), INTERVALS_MS[this.#manner]);
  }

  /** Says something in between, and leaves the line in its place. */
  say(text: string): void {
    if (this.#manner === "json") return;
    if (this.#manner === "line") this.#terminal.write(`${CLEAR_LINE}${text}\n`);
    else this.#terminal.note(text);
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#manner === "line") this.#terminal.write(CLEAR_LINE);
  }

  #report(): void {
    const facts = this.#facts();
    if (this.#manner === "json") this.#terminal.json(progressEvent(this.#id, facts));
    else if (this.#manner === "log") this.#terminal.note(progressLine(facts, Number.POSITIVE_INFINITY));
    // A line that fills the last column would make some terminals begin a new one.
    else this.#terminal.write(CLEAR_LINE + progressLine(facts, this.#terminal.width - 1));
  }

  #facts(): ProgressFacts {
    const progress = this.#site.progress();
    const now = performance.now();
    this.#rate.add(now, progress.crawled);
    return { progress, perSecond: this.#rate.perSecond(), elapsedMs: this.#earlierMs + now - this.#began };
  }
}
