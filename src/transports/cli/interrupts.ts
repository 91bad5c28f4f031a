/** Counts Ctrl-C and similar signals: the first pauses, the second stops at once, the third exits. */
import { counted } from "../texts.ts";

/**
 * Ctrl-C in a terminal reaches every process of the group, and npx also forwards it, so the same press arrives
 * twice. Nobody presses twice within this time.
 */
const SAME_PRESS_MS = 200;

/** How long requests may take to finish after SIGTERM. Those that are cut off are repeated when the crawl is resumed. */
const TERM_PATIENCE_MS = 1_500;

/** How long a second Ctrl-C waits for the last commit. Whatever is not stored by then is fetched again, as after a crash. */
const STOP_PATIENCE_MS = 1_000;

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export interface SignalSource {
  on(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}

/** bin/old-node.js, if it started this process, passes on only the signals that did not reach it from the terminal. */
function reportToLauncher(signal: string): void {
  if (process.connected) process.send!(signal, undefined, undefined, () => {});
}

/** Calls `onInterrupt` with the number of presses so far; returns a function that ends the listening. */
export function listenForInterrupts(
  onInterrupt: (presses: number, signal: (typeof SIGNALS)[number]) => void,
  source: SignalSource = process,
  now: () => number = () => performance.now(),
  report: (signal: string) => void = reportToLauncher,
): () => void {
  let presses = 0;
  const listeners = SIGNALS.map((signal) => {
    let last = Number.NEGATIVE_INFINITY;
    const listener = (): void => {
      report(signal);
      const at = now();
      if (at - last < SAME_PRESS_MS) return;
      last = at;
      onInterrupt(++presses, signal);
    };
    source.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) source.off(signal, listener);
  };
}

/** What is paused and stopped. */
export interface Interruptible {
  progress(): { inFlight: number };
  pause(): Promise<void>;
  stop(): Promise<unknown>;
}

export class Interrupts {
  readonly end: () => void = listenForInterrupts((presses, signal) => this.press(presses, signal));
  readonly #controller = new AbortController();
  #presses = 0;
  #signal: string | undefined;
  #act: (presses: number, signal?: string) => void = () => {};

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  press(presses: number, signal?: string): void {
    if (presses > 2) process.exit(3);
    // There may be nothing to stop any more, such as during an audit or a summary of millions of URLs, or nothing yet.
    if (presses > 1) setTimeout(() => process.exit(3), STOP_PATIENCE_MS).unref();
    this.#presses = presses;
    this.#signal = signal;
    this.#controller.abort();
    this.#act(presses, signal);
  }

  obey(running: Interruptible, say: (text: string) => void): void {
    this.#act = (presses, signal) => {
      if (presses > 1) {
        say("Stopping at once. Interrupted requests are repeated when you resume.");
        void running.stop();
        return;
      }
      const { inFlight } = running.progress();
      if (inFlight > 0)
        say(`Pausing; waiting for ${counted(inFlight, "request")}. Press Ctrl-C again to stop at once.`);
      void running.pause().then(() => running.stop());
      // Nobody can press again, and an endless page must not keep a service from stopping.
      if (signal === "SIGTERM") setTimeout(() => void running.stop(), TERM_PATIENCE_MS).unref();
    };
    if (this.#presses > 0) this.#act(this.#presses, this.#signal);
  }
}
