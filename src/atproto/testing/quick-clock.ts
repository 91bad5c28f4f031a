/**
 * A clock for tests of whole crawls over real sockets. Time passes by turns of the event loop, the same stretch each turn:
 * a busy machine slows it down, where a clock that multiplies real time would let minutes pass between a request and its
 * answer. Servers of the same process share it, so what they measure does not depend on the machine either.
 */
import type { Clock } from "../../kernel/clock.ts";

interface Timer {
  at: number;
  order: number;
  callback: () => void;
}

export class QuickClock implements Clock {
  /** How much passes in one turn. On an idle machine a turn takes a millisecond, so this is also how many times faster it runs. */
  readonly turnMs: number;
  readonly #timers = new Set<Timer>();
  #now = Date.now();
  #order = 0;
  #isTurning = false;

  constructor(turnMs = 50) {
    this.turnMs = turnMs;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), order: this.#order++, callback };
    this.#timers.add(timer);
    this.#turn();
    return () => this.#timers.delete(timer);
  }

  /** Without a timer nothing waits, and time stands still. */
  #turn(): void {
    if (this.#isTurning || this.#timers.size === 0) return;
    this.#isTurning = true;
    setTimeout(() => {
      const end = this.#now + this.turnMs;
      this.#fireUntil(end);
      this.#now = end;
      this.#isTurning = false;
      this.#turn();
    }, 1);
  }

  /** Timers that these set wait for a later turn: what they wait for may need sockets. */
  #fireUntil(end: number): void {
    const due = [...this.#timers].filter(({ at }) => at <= end);
    for (const timer of due.sort((one, other) => one.at - other.at || one.order - other.order)) {
      if (!this.#timers.delete(timer)) continue;
      this.#now = Math.max(this.#now, timer.at);
      timer.callback();
    }
  }
}
