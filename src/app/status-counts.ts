/** How often each status was met in a crawl, counted as it goes: asking the database every second would slow a large one. */
import { existsSync } from "node:fs";
import type { SiteEvents } from "../site/site-product.ts";
import { SiteReader } from "../site/store/reader.ts";

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
