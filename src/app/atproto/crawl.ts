/** Crawling the AT Protocol network: settings, sources, the crawl and how it goes. */
export { type AtprotoConfig, atprotoConfigSchema, parseAtprotoConfig } from "../../atproto/atproto-config.ts";
export { AtprotoCrawl } from "../../atproto/atproto-crawl.ts";
export { parseSource } from "../../atproto/crawl-sources.ts";
export type { AtprotoEnd, AtprotoProgress } from "../../atproto/crawl-tally.ts";
