/** The time limits of fetches: which one a fetch has exceeded, and the one timer that checks them all. */
import type { Clock } from "../kernel/clock.ts";
import type { FetchErrorCode } from "./fetch-errors.ts";
import type { FetchLimits } from "./http-types.ts";

/** The time limits of one fetch, given the time and the bytes read so far. */
export class Deadlines {
  readonly #limits: FetchLimits;
  readonly #begun: number;
  #phase: "connecting" | "headers" | "body" = "connecting";
  /** When the phase began, or the last byte was seen. */
  #progressAt = 0;
  #progressBytes = 0;
  /** The stretch over which the rate is measured. */
  #stretchAt = 0;
  #stretchBytes = 0;

  constructor(limits: FetchLimits, now: number) {
    this.#limits = limits;
    this.#begun = now;
  }

  /** The connector has a separate limit for the phases before. */
  connecting(): void {
    this.#phase = "connecting";
  }

  sent(now: number): void {
    this.#phase = "headers";
    this.#progressAt = now;
  }

  headersRead(now: number): void {
    this.#phase = "body";
    this.#progressAt = this.#stretchAt = now;
  }

  /** The limit that was exceeded; null when none was. */
  broken(now: number, bytes: number): FetchErrorCode | null {
    const limits = this.#limits;
    if (now - this.#begun > limits.totalMs) return "total_timeout";
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
  /** `now` is the watch's own time. */
  check(now: number): void;
}

/** Precise enough for deadlines; a shorter tick only costs time. */
const LONGEST_TICK_MS = 250;
const SHORTEST_TICK_MS = 5;

/** A coarse tick that checks every running fetch, instead of timers per fetch or per chunk. */
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
    // A late tick means that this process was busy. That is not the server's fault: its bytes may be waiting unread in the kernel.
    this.#now += Math.min(real - this.#lastTick, 2 * this.#tickMs);
    this.#lastTick = real;
    for (const watched of this.#watched) watched.check(this.#now);
    this.#running = this.#watched.size > 0;
    if (this.#running) this.#arm();
  }
}
