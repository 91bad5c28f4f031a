/** Archiving: the crawl, the split pipeline, and what a run counts. */
export { ArchiveCrawl, type ArchiveProgress } from "../../archive/archive-crawl.ts";
export type { Metrics } from "../../archive/archive-metrics.ts";
export type { Reach } from "../../archive/fetch/archive-client.ts";
export { Scrape, type ScrapeProgress } from "../../archive/spool/scrape.ts";
