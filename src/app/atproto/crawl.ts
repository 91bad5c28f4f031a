/** Crawling the AT Protocol network: the crawl and its progress. */
export { AtprotoCrawl } from "../../atproto/atproto-crawl.ts";
export type { AtprotoEnd, AtprotoProgress } from "../../atproto/crawl/crawl-tally.ts";
