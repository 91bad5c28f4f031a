/** The one timer behind all deadlines: a coarse tick that looks at every running fetch, instead of timers per fetch or chunk. */
import type { Clock } from "../kernel/clock.ts";
import type { FetchLimits } from "./http-types.ts";

export interface Watched {
  /** `now` is the watch's own time. */
  check(now: number): void;
}

/** Deadlines need no more than this; a shorter tick only costs. */
const LONGEST_TICK_MS = 250;
const SHORTEST_TICK_MS = 5;

export class Watch {
  readonly #clock: Clock;
  readonly #monotonic: () => number;
  readonly #tickMs: number;
  readonly #watched = new Set<Watched>();
  #now = 0;
  #lastTick = 0;
  #running = false;

  constructor(clock: Clock, monotonic: () => number, limits: FetchLimits) {
    this.#clock = clock;
    this.#monotonic = monotonic;
    const shortest = Math.min(limits.totalMs, limits.headersMs, limits.idleMs, limits.minRateGraceMs);
    this.#tickMs = Math.max(SHORTEST_TICK_MS, Math.min(LONGEST_TICK_MS, shortest / 8));
  }

  /** The start of a deadline set now: a tick ahead, so that it never ends early. */
  get start(): number {
    return this.#now + this.#tickMs;
  }

  add(watched: Watched): void {
    this.#watched.add(watched);
    if (this.#running) return;
    this.#running = true;
    this.#lastTick = this.#monotonic();
    this.#arm();
  }

  delete(watched: Watched): void {
    this.#watched.delete(watched);
  }

  #arm(): void {
    this.#clock.after(this.#tickMs, () => this.#tick());
  }

  #tick(): void {
    const real = this.#monotonic();
    // A late tick means that this process was busy. That is not the server's fault: bytes may wait unread in the kernel.
    this.#now += Math.min(real - this.#lastTick, 2 * this.#tickMs);
    this.#lastTick = real;
    for (const watched of this.#watched) watched.check(this.#now);
    this.#running = this.#watched.size > 0;
    if (this.#running) this.#arm();
  }
}
