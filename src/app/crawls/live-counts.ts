/** What is counted while a crawl runs: its speed, one sample per second for the last ten minutes, and its answers by status. */
import { existsSync } from "node:fs";
import { RateMeter } from "../../politeness/rate-meter.ts";
import type { SiteEvents } from "../../site/site-product.ts";
import { SiteReader } from "../../site/store/reader.ts";

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
/** What the current speed is measured over. */
const RATE_WINDOW_MS = 10_000;

export class LiveSamples {
  readonly #samples: Sample[] = [];
  readonly #pages = new RateMeter(RATE_WINDOW_MS);
  #last: { at: number; counts: Counts };

  constructor(at: number, counts: Counts) {
    this.#last = { at, counts };
    this.#pages.add(at, counts.crawled);
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
    this.#pages.add(at, counts.crawled);
  }

  /** After a pause: what happened before is not to be spread over it. */
  skipTo(at: number): void {
    this.#last = { ...this.#last, at };
    this.#pages.skipTo(at);
  }

  get all(): readonly Sample[] {
    return this.#samples;
  }

  pagesPerSecond(): number {
    return this.#pages.perSecond();
  }
}

/** How many answers had each status. Asking the database every second would slow down a large crawl. */
export class StatusCounts {
  readonly #counts = new Map<number, number>();

  /** Goes on where the database is. */
  constructor(database: string) {
    if (!existsSync(database)) return;
    const reader = new SiteReader(database);
    try {
      if (reader.isEmpty) return;
      const rows = reader.db
        .prepare("SELECT status, count(*) AS count FROM pages WHERE status IS NOT NULL GROUP BY status")
        .all() as { status: number; count: number }[];
      for (const { status, count } of rows) this.#counts.set(status, count);
    } finally {
      reader.close();
    }
  }

  /** The events of a crawl, counted on their way to `events`. */
  watch(events: SiteEvents = {}): SiteEvents {
    return {
      ...events,
      onVisit: (task, visit, record) => {
        const { status } = record.page;
        if (status !== null) this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
        events.onVisit?.(task, visit, record);
      },
    };
  }

  all(): { value: number; count: number }[] {
    return [...this.#counts].map(([value, count]) => ({ value, count })).sort((a, b) => a.value - b.value);
  }
}
