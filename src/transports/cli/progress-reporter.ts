/** Tells how a crawl goes while it goes: a line rewritten in place, JSON lines, or now and then a line beside the output. */
import { RateMeter } from "../../politeness/rate-meter.ts";
import { CLEAR_LINE } from "./output/live-line.ts";
import type { ProgressFacts } from "./output/progress.ts";
import type { Terminal } from "./output/terminal.ts";

/** A person sees it move; a script wants it now and then; a log is not to be filled. */
const INTERVALS_MS = { line: 200, json: 1_000, log: 5_000 };

/** Long enough to be calm, short enough to show a host that slows down. */
const RATE_WINDOW_MS = 5_000;

type Manner = keyof typeof INTERVALS_MS;

/** What is reported, and in which words. */
export interface Reported<Progress> {
  progress: () => Progress;
  /** What the rate is a rate of. */
  counted: (progress: Progress) => number;
  /** How long it ran before it was resumed. */
  earlierMs: number;
  line: (facts: ProgressFacts<Progress>, width: number) => string;
  event: (facts: ProgressFacts<Progress>) => object;
}

export class ProgressReporter<Progress> {
  readonly #terminal: Terminal;
  readonly #manner: Manner;
  readonly #reported: Reported<Progress>;
  readonly #began = performance.now();
  readonly #rate = new RateMeter(RATE_WINDOW_MS);
  readonly #timer: NodeJS.Timeout;

  constructor(terminal: Terminal, json: boolean, reported: Reported<Progress>) {
    this.#terminal = terminal;
    this.#manner = json ? "json" : terminal.isInteractive ? "line" : "log";
    this.#reported = reported;
    this.facts();
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

  /** How it goes now. */
  facts(): ProgressFacts<Progress> {
    const { progress, counted, earlierMs } = this.#reported;
    const now = performance.now();
    const current = progress();
    this.#rate.add(now, counted(current));
    return { progress: current, perSecond: this.#rate.perSecond(), elapsedMs: earlierMs + now - this.#began };
  }

  #report(): void {
    const facts = this.facts();
    const { line, event } = this.#reported;
    if (this.#manner === "json") this.#terminal.json(event(facts));
    else if (this.#manner === "log") this.#terminal.note(line(facts, Number.POSITIVE_INFINITY));
    // A line that fills the last column would make some terminals begin a new one.
    else this.#terminal.write(CLEAR_LINE + line(facts, this.#terminal.width - 1));
  }
}
