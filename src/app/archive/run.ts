/** Archiving: the crawl, the split pipeline, and what a run counts. */
export { ArchiveCrawl, type ArchiveCrawlOptions, type ArchiveProgress } from "../../archive/archive-crawl.ts";
export type { Metrics } from "../../archive/archive-metrics.ts";
export type { RequisiteCounts } from "../../archive/archive-run.ts";
export type { Failure, Failures } from "../../archive/failed-urls.ts";
export type { Reach } from "../../archive/fetch/archive-client.ts";
export type { RestingHost } from "../../archive/resting-hosts.ts";
export { Scrape, type ScrapeProgress } from "../../archive/spool/scrape.ts";
export type { SpoolProblems } from "../../archive/spool/spool-problems.ts";
