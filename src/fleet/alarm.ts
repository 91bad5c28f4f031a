/** A rest that others may end early. A ring while nobody rests ends the next rest at once, so no ring is lost. */
import type { Clock } from "../kernel/clock.ts";

export class Alarm {
  readonly #clock: Clock;
  #hasRung = false;
  #end: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async rest(ms: number): Promise<void> {
    if (!this.#hasRung && ms > 0) {
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(ms, resolve);
        this.#end = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#end = null;
    this.#hasRung = false;
  }

  ring(): void {
    this.#hasRung = true;
    this.#end?.();
  }
}
