/** A site crawl, as a process of its own. */
import { type CrawlOptions, crawl } from "../../src/index.ts";
import { endChild } from "./run-child.ts";

const { url, options } = JSON.parse(process.argv[2]!) as { url: string; options: CrawlOptions };
const { state, open } = await crawl(url, options).summary;
endChild({ state, open });
