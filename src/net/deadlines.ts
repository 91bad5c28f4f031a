/** The time limits of one fetch: which is broken, given the time and the bytes read so far. */
import type { FetchErrorCode } from "./fetch-errors.ts";
import type { FetchLimits } from "./http-types.ts";

export class Deadlines {
  readonly #limits: FetchLimits;
  readonly #begun: number;
  #phase: "connecting" | "headers" | "body" = "connecting";
  /** When the phase began, or the last byte was noticed. */
  #progressAt = 0;
  #progressBytes = 0;
  /** The stretch over which the rate is measured. */
  #stretchAt = 0;
  #stretchBytes = 0;

  constructor(limits: FetchLimits, now: number) {
    this.#limits = limits;
    this.#begun = now;
  }

  /** The connector has a limit of its own for what comes before. */
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

  /** The limit that is broken; null when all hold. */
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
    // Each stretch counts for itself: a fast beginning must not pay for hours of dripping.
    const stretch = now - this.#stretchAt;
    if (stretch <= limits.minRateGraceMs) return null;
    if ((bytes - this.#stretchBytes) * 1000 < limits.minBytesPerSecond * stretch) return "too_slow";
    this.#stretchAt = now;
    this.#stretchBytes = bytes;
    return null;
  }
}
