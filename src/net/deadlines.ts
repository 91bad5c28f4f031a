/** The time limits of fetches: which one a fetch has exceeded, and the one timer that checks them all. */
import type { Clock } from "../kernel/clock.ts";
import type { FetchErrorCode } from "./fetch-errors.ts";
import type { FetchLimits } from "./http-types.ts";

/** The time limits of one fetch other than the total, given the time and the bytes read so far. */
export class Deadlines {
  readonly #limits: FetchLimits;

  /** The connector has a separate limit for connecting. */
  #phase: "connecting" | "headers" | "body" = "connecting";
  /** When the phase began, or the last byte was seen. */
  #progressAt = 0;
  #progressBytes = 0;
  /** The stretch over which the rate is measured. */
  #stretchAt = 0;
  #stretchBytes = 0;

  constructor(limits: FetchLimits) {
    this.#limits = limits;
  }

  sent(now: number): void {
    this.#phase = "headers";
    this.#progressAt = now;
  }

  headersRead(now: number): void {
    this.#phase = "body";
    this.#progressAt = this.#stretchAt = now;
  }

  /** For so many milliseconds nothing was read, because this process was not ready for more: they are not the server's. */
  waited(now: number, ms: number): void {
    this.#progressAt = now;
    this.#stretchAt += ms;
  }

  /** The limit that was exceeded; null when none was. */
  broken(now: number, bytes: number): FetchErrorCode | null {
    const limits = this.#limits;
    if (this.#phase === "connecting") return null;
    if (this.#phase === "headers") return now - this.#progressAt > limits.headersMs ? "headers_timeout" : null;
    if (bytes !== this.#progressBytes) {
      this.#progressBytes = bytes;
      this.#progressAt = now;
    } else if (now - this.#progressAt > limits.idleMs) {
      return "idle_timeout";
    }
    // Each stretch is measured separately: a fast beginning must not make up for hours of dripping.
    const stretch = now - this.#stretchAt;
    if (stretch <= limits.minRateGraceMs) return null;
    if ((bytes - this.#stretchBytes) * 1000 < limits.minBytesPerSecond * stretch) return "too_slow";
    this.#stretchAt = now;
    this.#stretchBytes = bytes;
    return null;
  }
}

export interface Watched {
  /** `now` is monotonic. */
  check(now: number): void;
}

/** Precise enough for deadlines; a shorter tick only costs time. */
const LONGEST_TICK_MS = 250;
const SHORTEST_TICK_MS = 5;

/**
 * A coarse tick that checks every running fetch, instead of timers per fetch or per chunk. All limits are in real time, however
 * busy this process is. But a tick that comes late waits until what has arrived meanwhile was read: that it lay unread is not
 * the server's fault.
 */
export class Watch {
  readonly #clock: Clock;
  readonly #monotonic: () => number;
  readonly #tickMs: number;
  readonly #watched = new Set<Watched>();
  #lastTick = 0;
  #running = false;

  constructor(clock: Clock, monotonic: () => number, limits: FetchLimits) {
    this.#clock = clock;
    this.#monotonic = monotonic;
    const shortest = Math.min(limits.totalMs, limits.headersMs, limits.idleMs, limits.minRateGraceMs);
    this.#tickMs = Math.max(SHORTEST_TICK_MS, Math.min(LONGEST_TICK_MS, shortest / 8));
  }

  /** The start of a deadline set now. */
  get start(): number {
    return this.#monotonic();
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
    // Immediates run after sockets have been read.
    if (this.#monotonic() - this.#lastTick > 2 * this.#tickMs) setImmediate(() => this.#check());
    else this.#check();
  }

  #check(): void {
    const now = this.#monotonic();
    this.#lastTick = now;
    for (const watched of this.#watched) watched.check(now);
    this.#running = this.#watched.size > 0;
    if (this.#running) this.#arm();
  }
}
