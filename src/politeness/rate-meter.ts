/** How fast something counted grows: per second, over a window of recent time. */

/** A window has about this many samples, however often one is added. */
const SAMPLES = 32;
/** In the first moments, dividing by the elapsed time would exaggerate. */
const LEAST_MS = 1_000;

export class RateMeter {
  readonly #windowMs: number;
  /** Totals, oldest first. The first one covers everything before the window. */
  readonly #samples: { at: number; total: number }[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** The count is `total` at this time. */
  add(at: number, total: number): void {
    const samples = this.#samples;
    const last = samples.at(-1);
    // If the clock was set back, the sample says nothing about speed, and must not stop the meter.
    if (last !== undefined && at < last.at) this.skipTo(at);
    const before = samples.at(-2);
    if (before !== undefined && at - before.at < this.#windowMs / SAMPLES) Object.assign(last!, { at, total });
    else samples.push({ at, total });
    while (samples.length > 2 && samples[1]!.at <= at - this.#windowMs) samples.shift();
  }

  /** After a pause: the time since the last sample does not count. */
  skipTo(at: number): void {
    const gap = at - (this.#samples.at(-1)?.at ?? at);
    for (const sample of this.#samples) sample.at += gap;
  }

  /** As of `now`, or of the last sample. */
  perSecond(now?: number): number {
    const last = this.#samples.at(-1);
    if (last === undefined) return 0;
    const end = Math.max(now ?? last.at, last.at);
    const base = this.#samples.findLast(({ at }) => at <= end - this.#windowMs) ?? this.#samples[0]!;
    return (Math.max(0, last.total - base.total) * 1_000) / Math.max(LEAST_MS, end - base.at);
  }
}
