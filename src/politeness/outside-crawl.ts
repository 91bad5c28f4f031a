/** The context of a few requests that belong to no crawl: there is no queue to wait in, and nothing is remembered. */
import type { CrawlContext } from "../kernel/product.ts";

export const outsideCrawl = (more: Partial<CrawlContext> = {}): CrawlContext => ({
  turn: async () => ({ done: () => {} }),
  pace: async () => {},
  note: () => {},
  refreshPolicy: () => {},
  signal: new AbortController().signal,
  ...more,
});
