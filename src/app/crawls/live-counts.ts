/**
 * What is counted while a crawl runs: its speed, with one sample per second over the last ten minutes, and its answers
 * by status.
 */
import { existsSync } from "node:fs";
import { RateMeter } from "../../politeness/rate-meter.ts";
import { countNumber, isPage } from "../../site/numbers.ts";
import type { SiteEvents } from "../../site/site-record.ts";
import { SiteReader } from "../../site/store/reader.ts";

/** The values in a sample: counts that only grow, and the number of open URLs. */
export interface Counts {
  pages: number;
  crawled: number;
  errors: number;
  open: number;
}

export interface Sample {
  at: number;
  pagesPerSecond: number;
  urlsPerSecond: number;
  errorsPerSecond: number;
  open: number;
  /** The crawl was paused between the previous sample and this one. */
  isAfterPause: boolean;
}

/** Ten minutes of seconds: enough for a chart that shows a slow host, and 20 KB per crawl. */
export const KEPT_SAMPLES = 600;
/** The time over which the current speed is measured. */
const RATE_WINDOW_MS = 10_000;

export class LiveSamples {
  readonly #samples: Sample[] = [];
  readonly #pages = new RateMeter(RATE_WINDOW_MS);
  readonly #urls = new RateMeter(RATE_WINDOW_MS);
  #last: { at: number; counts: Counts };
  #wasPaused = false;

  constructor(at: number, counts: Counts) {
    this.#last = { at, counts };
    this.#pages.add(at, counts.pages);
    this.#urls.add(at, counts.crawled);
  }

  add(at: number, counts: Counts): void {
    const seconds = (at - this.#last.at) / 1000;
    // A clock that was set back, or two measurements at the same moment, tell nothing about speed.
    if (seconds <= 0) return;
    const perSecond = (field: "pages" | "crawled" | "errors") =>
      Math.max(0, counts[field] - this.#last.counts[field]) / seconds;
    this.#samples.push({
      at,
      pagesPerSecond: perSecond("pages"),
      urlsPerSecond: perSecond("crawled"),
      errorsPerSecond: perSecond("errors"),
      open: counts.open,
      isAfterPause: this.#wasPaused,
    });
    this.#wasPaused = false;
    if (this.#samples.length > KEPT_SAMPLES) this.#samples.shift();
    this.#last = { at, counts };
    this.#pages.add(at, counts.pages);
    this.#urls.add(at, counts.crawled);
  }

  /** After a pause, earlier progress must not be averaged over the pause. */
  skipTo(at: number): void {
    this.#last = { ...this.#last, at };
    this.#wasPaused = true;
    this.#pages.skipTo(at);
    this.#urls.skipTo(at);
  }

  get all(): readonly Sample[] {
    return this.#samples;
  }

  pagesPerSecond(): number {
    return this.#pages.perSecond();
  }

  urlsPerSecond(): number {
    return this.#urls.perSecond();
  }
}

/** How many answers had each status, and how many were pages. Asking the database every second would slow down a large crawl. */
export class LiveCounts {
  readonly #statuses = new Map<number, number>();
  #pages = 0;

  /** Starts with the counts in the database. */
  constructor(database: string) {
    if (!existsSync(database)) return;
    const reader = new SiteReader(database);
    try {
      if (reader.isEmpty) return;
      const rows = reader.db
        .prepare("SELECT status, count(*) AS count FROM pages WHERE status IS NOT NULL GROUP BY status")
        .all() as { status: number; count: number }[];
      for (const { status, count } of rows) this.#statuses.set(status, count);
      this.#pages = countNumber(reader, "pages");
    } finally {
      reader.close();
    }
  }

  /** The events of a crawl, counted before they are passed to `events`. */
  watch(events: SiteEvents = {}): SiteEvents {
    return {
      ...events,
      onVisit: (task, visit, record) => {
        const { status } = record.page;
        if (status !== null) this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
        if (isPage(record.page)) this.#pages++;
        events.onVisit?.(task, visit, record);
      },
    };
  }

  get pages(): number {
    return this.#pages;
  }

  /** Answers of 4xx and 5xx. */
  get badAnswers(): number {
    return this.statuses().reduce((sum, { value, count }) => sum + (value >= 400 ? count : 0), 0);
  }

  statuses(): { value: number; count: number }[] {
    return [...this.#statuses].map(([value, count]) => ({ value, count })).sort((a, b) => a.value - b.value);
  }
}
