/** The progress of a crawl while it runs: a line rewritten in place, JSON lines, or now and then a line in the log. */

import type { CrawlCounts } from "../../../app/crawls/active-crawl.ts";
import type { OnExchange } from "../../../net/client.ts";
import { RateMeter } from "../../../politeness/rate-meter.ts";
import { clean, count, roundCount, stopwatch } from "../../texts.ts";
import { cut, widthOf } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export interface ProgressFacts<Progress> {
  progress: Progress;
  perSecond: number;
  elapsedMs: number;
}

/** Small rates with a decimal, large ones whole. */
export const rateText = (perSecond: number): string =>
  `${perSecond >= 100 ? count(Math.round(perSecond)) : perSecond.toFixed(1)} pages/s`;

export function progressLine({ progress, perSecond, elapsedMs }: ProgressFacts<CrawlCounts>, width: number): string {
  const { crawled, open, skipped, recorded, errors, state } = progress;
  const ending = state === "pausing" || state === "stopping" ? [state] : [];
  const parts = (number: (value: number) => string, rate: string): string[] => [
    ...ending,
    `${number(crawled)} crawled`,
    `${number(open)} open`,
    `${number(skipped + recorded)} skipped`,
    `${number(errors)} ${errors === 1 ? "error" : "errors"}`,
    rate,
    stopwatch(elapsedMs),
  ];
  const whole = parts(count, rateText(perSecond)).join(" · ");
  // In a narrow terminal, the whole line in rounded numbers is more useful than only its beginning.
  return widthOf(whole) <= width ? whole : cut(parts(roundCount, `${roundCount(perSecond)}/s`).join(" "), width);
}

export const progressEvent = (id: number, facts: ProgressFacts<CrawlCounts>): Record<string, unknown> => ({
  event: "progress",
  id,
  ...flatFacts(facts),
  pagesPerSecond: rounded(facts.perSecond),
});

const rounded = (perSecond: number): number => Math.round(perSecond * 10) / 10;

/** As one object for programs. */
export const flatFacts = <Progress extends object>({ progress, perSecond, elapsedMs }: ProgressFacts<Progress>) => ({
  ...progress,
  perSecond: rounded(perSecond),
  durationMs: Math.round(elapsedMs),
  // Understood until version 0.3.
  elapsedMs: Math.round(elapsedMs),
});

/** Often enough on a terminal, once a second for a script, and rarely in a log. */
const INTERVALS_MS = { line: 200, json: 1_000, log: 5_000 };

const TROUBLE_MS = 500;

/** Long enough for a steady number, short enough to show a host that slows down. */
const RATE_WINDOW_MS = 5_000;

type Manner = keyof typeof INTERVALS_MS | "quiet";

/** What is reported, and in which words. */
export interface Reported<Progress> {
  progress: () => Progress;
  /** What the rate counts. */
  counted: (progress: Progress) => number;
  /** How long it ran before it was resumed. */
  earlierMs: number;
  line: (facts: ProgressFacts<Progress>, width: number) => string;
  event: (facts: ProgressFacts<Progress>) => object;
  /** Nothing is printed. */
  quiet?: boolean;
  /** What is wrong with this machine; printed once each time it changes. */
  trouble?: (progress: Progress) => string | null;
  /** Notes for people, each printed once. */
  news?: () => string[];
}

export class ProgressReporter<Progress> {
  readonly #terminal: Terminal;
  readonly #manner: Manner;
  readonly #reported: Reported<Progress>;
  readonly #began = performance.now();
  readonly #rate = new RateMeter(RATE_WINDOW_MS);
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #troubleTimer: NodeJS.Timeout;
  #trouble: string | null = null;

  constructor(terminal: Terminal, json: boolean, reported: Reported<Progress>) {
    this.#terminal = terminal;
    this.#manner = reported.quiet === true ? "quiet" : json ? "json" : terminal.isInteractive ? "line" : "log";
    this.#reported = reported;
    this.facts();
    if (this.#manner !== "quiet") this.#timer = setInterval(() => this.#report(), INTERVALS_MS[this.#manner]);
    this.#troubleTimer = setInterval(() => this.#tell(), TROUBLE_MS);
  }

  /** Prints a message above the progress line. */
  say(text: string): void {
    if (this.#manner === "json" || this.#manner === "quiet") return;
    if (this.#manner === "line") this.#terminal.write(`${CLEAR_LINE}${text}\n`);
    else this.#terminal.note(text);
  }

  end(): void {
    clearInterval(this.#timer);
    clearInterval(this.#troubleTimer);
    if (this.#manner === "line") this.#terminal.write(CLEAR_LINE);
  }

  /** The current progress. */
  facts(): ProgressFacts<Progress> {
    const { progress, counted, earlierMs } = this.#reported;
    const now = performance.now();
    const current = progress();
    this.#rate.add(now, counted(current));
    return { progress: current, perSecond: this.#rate.perSecond(), elapsedMs: earlierMs + now - this.#began };
  }

  #tell(): void {
    const { trouble: troubleOf, progress } = this.#reported;
    const trouble = troubleOf?.(progress()) ?? null;
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.say(trouble === null ? "That is over; the crawl continues as before." : `warning: ${trouble}`);
  }

  #report(): void {
    const facts = this.facts();
    const { line, event, news } = this.#reported;
    for (const text of news?.() ?? []) this.say(text);
    if (this.#manner === "json") this.#terminal.json(event(facts));
    else if (this.#manner === "log") this.#terminal.note(line(facts, Number.POSITIVE_INFINITY));
    // Some terminals start a new line when the last column is filled.
    else this.#terminal.write(CLEAR_LINE + line(facts, this.#terminal.width - 1));
  }
}

/** Prints every request as it ends, above the progress line. */
export function requestTeller(terminal: Terminal): OnExchange {
  return ({ status, error, timings, url, page }) => {
    const result = error === null ? String(status) : error.code;
    const from = page === undefined ? "" : `  (in the browser, for ${clean(page)})`;
    if (terminal.isInteractive) terminal.write(CLEAR_LINE);
    terminal.note(`${result}  ${Math.round(timings.total)} ms  ${clean(url)}${from}`);
  };
}

/** A line that is rewritten in place while a command works, with results above it. Only on a terminal. */
export const CLEAR_LINE = "\r\u001b[2K";

/** Fast enough to look alive, and cheap next to the work itself. */
const INTERVAL_MS = 200;

export interface LiveLine {
  /** May be called often: the text is built only when it is shown. */
  show(text: () => string): void;
  /** A result, on a line of its own. */
  say(text: string): void;
  end(): void;
}

export function liveLine(terminal: Terminal, json: boolean, now: () => number = () => performance.now()): LiveLine {
  const isShown = terminal.isInteractive && !json;
  let last = now();
  return {
    show(text) {
      if (!isShown || now() - last < INTERVAL_MS) return;
      last = now();
      terminal.write(CLEAR_LINE + cut(text(), terminal.width - 1));
    },
    say: (text) => terminal.write(`${isShown ? CLEAR_LINE : ""}${text}\n`),
    end() {
      if (isShown) terminal.write(CLEAR_LINE);
    },
  };
}
