/** Crawling the AT Protocol network: the crawl, and how it goes. */
export { AtprotoCrawl } from "../../atproto/atproto-crawl.ts";
export type { AtprotoEnd, AtprotoProgress } from "../../atproto/crawl-tally.ts";
