/** Ctrl-C, before and while something runs: the first pauses, the second stops at once, the third leaves. */
import { listenForInterrupts } from "./interrupts.ts";
import { counted } from "./output/numbers.ts";

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
        say("Stopping at once. What was under way is fetched again when you resume.");
        void running.stop();
        return;
      }
      const { inFlight } = running.progress();
      if (inFlight > 0) say(`Pausing, with ${counted(inFlight, "request")} under way. Ctrl-C again stops at once.`);
      void running.pause().then(() => running.stop());
    };
    if (this.#presses > 0) this.#act(this.#presses);
  }
}
