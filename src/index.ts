/**
 * The library's entry point.
 *
 * @example
 * import { crawl } from "trawl";
 * const run = crawl("https://example.com");
 * for await (const page of run) console.log(page.status, page.url, page.title);
 * console.log(await run.summary);
 */
export {
  type CrawlCounts,
  type CrawlOptions,
  type CrawlProgress,
  type CrawlSummary,
  crawl,
  type Page,
  type PageLink,
  type Resource,
  Run,
} from "./app/library/library.ts";
export {
  type CrawlDescription,
  type FindingRow,
  type FindingsWanted,
  type HomeOptions,
  type IssueRow,
  type LinkRow,
  type LinksWanted,
  type OpenCrawl,
  openCrawl,
  savedSettings,
  type UrlRow,
  type UrlsWanted,
} from "./app/library/open-crawl.ts";
export { type ErrorCode, TrawlError } from "./errors.ts";
export type { SiteOptions } from "./site/site-config.ts";
export type { UrlAction } from "./site/site-gate.ts";
