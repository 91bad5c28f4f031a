/** Counts Ctrl-C and similar signals: the first pauses, the second stops at once, the third exits. */
import { counted } from "../texts.ts";

/**
 * Ctrl-C in a terminal reaches every process of the group, and npx passes on to us what it gets besides: the same
 * press arrives twice. Nobody presses twice within this time.
 */
const SAME_PRESS_MS = 200;

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export interface SignalSource {
  on(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}

/** Calls `onInterrupt` with the number of presses so far; returns a function that ends the listening. */
export function listenForInterrupts(
  onInterrupt: (presses: number) => void,
  source: SignalSource = process,
  now: () => number = () => performance.now(),
): () => void {
  let presses = 0;
  const listeners = SIGNALS.map((signal) => {
    let last = Number.NEGATIVE_INFINITY;
    const listener = (): void => {
      const at = now();
      if (at - last < SAME_PRESS_MS) return;
      last = at;
      onInterrupt(++presses);
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

  obey(running: Interruptible, say: (text: string) => void): void {
    this.#act = (presses) => {
      if (presses > 1) {
        say("Stopping at once. Interrupted requests are repeated when you resume.");
        void running.stop();
        return;
      }
      const { inFlight } = running.progress();
      if (inFlight > 0)
        say(`Pausing; waiting for ${counted(inFlight, "request")}. Press Ctrl-C again to stop at once.`);
      void running.pause().then(() => running.stop());
    };
    if (this.#presses > 0) this.#act(this.#presses);
  }
}
