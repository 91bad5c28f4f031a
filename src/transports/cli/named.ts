/** Which crawl is meant by what was typed, and how the help says so. */
export { crawlId, newestCrawlId, ofSite } from "../../app/crawls/named-crawl.ts";

/** How every command that reads a crawl describes its argument. */
export const CRAWL_ARGUMENT = "the crawl: its number, its site, or `last` (the default)";
