/**
 * The time of a fleet: the database's, carried on by this machine's monotonic clock. Politeness clocks move from machine to
 * machine with their hosts, and machines disagree about the time of day; so all of them use one that no machine sets.
 */
import { type Clock, systemClock } from "../kernel/clock.ts";

/**
 * How far later answers may move the clock, as a share of the time since the previous answer. The clock measures the
 * intervals between requests: moving it by 20 ms per answer once made them that much too short.
 */
const SLEW = 0.0005;
/** Beyond this, the machine was suspended or the database was replaced, so the clock is set. */
const JUMP_MS = 1_000;

export class FleetClock implements Clock {
  readonly #monotonic: () => number;
  #offset: number | null = null;
  /** How far the offset may be off that the clock was last set to. */
  #doubt = 0;
  #heardAt = 0;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /**
   * The database said `time` in answer to a statement that was sent and answered at these times of the monotonic clock. Returns
   * true when the clock was set, so that times from before prove nothing.
   */
  hear(time: number, sentAt: number, answeredAt: number): boolean {
    const offset = time - (sentAt + answeredAt) / 2;
    const most = SLEW * (answeredAt - this.#heardAt);
    const difference = this.#offset === null ? 0 : offset - this.#offset;
    const doubt = (answeredAt - sentAt) / 2;
    const isJump = Math.abs(difference) > JUMP_MS + doubt + this.#doubt;
    if (this.#offset === null || isJump) [this.#offset, this.#doubt] = [offset, doubt];
    else this.#offset += Math.max(-most, Math.min(most, difference));
    this.#heardAt = answeredAt;
    return isJump;
  }

  /** Whole milliseconds, as the system's clock gives them: records store times as integers. */
  now = (): number => Math.floor(this.#monotonic() + (this.#offset ?? Date.now() - this.#monotonic()));

  after = (ms: number, callback: () => void): (() => void) => systemClock.after(ms, callback);
}
