/** A clock driven by the test: nothing waits for real time, and a crawl that waits for nothing at all is caught. */
import type { Clock } from "../clock.ts";

interface Timer {
  at: number;
  order: number;
  callback: () => void;
}

/** Lets everything that needs no timer happen: promises, and what they start. */
export const drain = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class FakeClock implements Clock {
  /** Timers follow this one, as they follow a monotonic clock in real life; `setBack` does not touch it. */
  #elapsed = 0;
  #wallStart: number;
  #timers = new Set<Timer>();
  #order = 0;

  constructor(start = 1_000_000) {
    this.#wallStart = start;
  }

  now(): number {
    return this.#wallStart + this.#elapsed;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#elapsed + Math.max(0, ms), order: this.#order++, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** A promise that resolves after `ms` of this clock. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Timers that are still set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Somebody sets the wall clock back (or, with a negative number, forward). */
  setBack(ms: number): void {
    this.#wallStart -= ms;
  }

  /** Lets `ms` pass, and everything that happens meanwhile. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await drain();
    for (let next = this.#next(); next !== null && next.at <= end; next = this.#next()) await this.#fire(next);
    this.#elapsed = end;
  }

  /** Lets time pass until the condition holds. Throws when it does not and nothing is left to happen. */
  async until(condition: () => boolean): Promise<void> {
    await drain();
    while (!condition()) {
      const next = this.#next();
      if (next === null) throw new Error("stuck: the condition does not hold and no timer is set");
      await this.#fire(next);
    }
  }

  /** Lets time pass until the promise settles. Throws when it does not and nothing is left to happen. */
  async settle<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = () => {
      settled = true;
    };
    promise.then(done, done);
    await this.until(() => settled);
    return promise;
  }

  #next(): Timer | null {
    let next: Timer | null = null;
    for (const timer of this.#timers) {
      if (next === null || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    }
    return next;
  }

  async #fire(timer: Timer): Promise<void> {
    this.#timers.delete(timer);
    this.#elapsed = Math.max(this.#elapsed, timer.at);
    timer.callback();
    await drain();
  }
}
