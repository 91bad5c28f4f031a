/**
 * The time of a fleet: the database's, carried on by this machine's monotonic clock. Politeness clocks move from machine to
 * machine with their hosts, and machines disagree about the time of day; so all of them use one that no machine sets.
 */
import { type Clock, systemClock } from "../kernel/clock.ts";

/** The most that one answer may move the clock, in ms, after the first: lanes must not see time jump. */
const SLEW_MS = 20;

export class FleetClock implements Clock {
  readonly #monotonic: () => number;
  #offset: number | null = null;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /** The database said `time` in answer to a statement that was sent and answered at these times of the monotonic clock. */
  hear(time: number, sentAt: number, answeredAt: number): void {
    const offset = time - (sentAt + answeredAt) / 2;
    if (this.#offset === null) this.#offset = offset;
    else this.#offset += Math.max(-SLEW_MS, Math.min(SLEW_MS, offset - this.#offset));
  }

  /** Whole milliseconds, as the system's clock gives them: records store times as integers. */
  now = (): number => Math.round(this.#monotonic() + (this.#offset ?? Date.now() - this.#monotonic()));

  after = (ms: number, callback: () => void): (() => void) => systemClock.after(ms, callback);
}
