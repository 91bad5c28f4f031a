/** Finds the crawl that was typed, and describes the argument in the help. */
import type { Command } from "commander";
import type { App } from "../../app/app.ts";
import { crawlId } from "../../app/crawls/named-crawl.ts";
import { TrawlError } from "../../errors.ts";

export { newestCrawlId, ofSite } from "../../app/crawls/named-crawl.ts";
export { crawlId };

/** How every command that reads a crawl describes its argument. */
export const CRAWL_ARGUMENT = "the crawl: its number, its site, or `last` (the default)";

/** The arguments of a command about one URL of a crawl. Commander has no optional argument before a required one. */
export const addUrlArguments = (command: Command): Command =>
  command
    .argument("[id]", CRAWL_ARGUMENT)
    .argument("[url]", "the URL, or its path alone")
    .usage("[options] [id] <url>");

/** `trawl why /about` is about the last crawl: what is typed alone is the URL. */
export function crawlAndUrl(app: App, first?: string, second?: string): { id: number; url: string } {
  const url = second ?? first;
  const isCrawl = second === undefined && /^(\d+|last)$/.test(url ?? "");
  if (url === undefined || isCrawl) throw new TrawlError("BAD_USAGE", "An argument is missing: <url>.");
  return { id: crawlId(app, second === undefined ? undefined : first), url };
}
