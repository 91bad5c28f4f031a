/** How fast a crawl went: one sample a second of the last ten minutes. */

/** What a sample is made of: counts that only grow, and what is open now. */
export interface Counts {
  crawled: number;
  errors: number;
  open: number;
}

export interface Sample {
  at: number;
  pagesPerSecond: number;
  errorsPerSecond: number;
  open: number;
}

/** Ten minutes of seconds: enough for a chart that shows a slow host, and 20 KB a crawl. */
export const KEPT_SAMPLES = 600;
/** Samples that the current speed is the mean of. */
const RECENT = 10;

export class LiveSamples {
  readonly #samples: Sample[] = [];
  #last: { at: number; counts: Counts };

  constructor(at: number, counts: Counts) {
    this.#last = { at, counts };
  }

  add(at: number, counts: Counts): void {
    const seconds = (at - this.#last.at) / 1000;
    // A clock that was set back, or two measures at the same moment, say nothing about speed.
    if (seconds <= 0) return;
    const perSecond = (field: "crawled" | "errors") => Math.max(0, counts[field] - this.#last.counts[field]) / seconds;
    this.#samples.push({
      at,
      pagesPerSecond: perSecond("crawled"),
      errorsPerSecond: perSecond("errors"),
      open: counts.open,
    });
    if (this.#samples.length > KEPT_SAMPLES) this.#samples.shift();
    this.#last = { at, counts };
  }

  /** After a pause: what happened before is not to be spread over it. */
  skipTo(at: number): void {
    this.#last = { ...this.#last, at };
  }

  get all(): readonly Sample[] {
    return this.#samples;
  }

  pagesPerSecond(): number {
    const recent = this.#samples.slice(-RECENT);
    return recent.reduce((sum, sample) => sum + sample.pagesPerSecond, 0) / Math.max(1, recent.length);
  }
}
