/** A process that crawls, to be killed by a test: `node crawl-child.ts <url>`, with TRAWL_HOME set. Says when it runs. */
import { parseConfig } from "../../site/site-config.ts";
import { Crawls } from "../crawls/crawls.ts";

const config = parseConfig({ discovery: ["spider"], checkResources: false, rate: 50 });
await new Crawls().start(process.argv[2]!, { config });
console.log("running");
