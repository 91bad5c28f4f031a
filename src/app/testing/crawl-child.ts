/**
 * A process that crawls until a test kills it: `node crawl-child.ts <url>`, with TRAWL_HOME set. Reports when the crawl
 * runs.
 */
import { parseConfig } from "../../site/site-config.ts";
import { Crawls } from "../crawls/crawls.ts";

const config = parseConfig({ discovery: ["spider"], checkResources: false, rate: 50 });
await new Crawls().start(process.argv[2]!, { config });
console.log("running");
