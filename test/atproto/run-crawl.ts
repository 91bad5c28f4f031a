/** A crawl in a process of its own, with a quick clock, for tests that kill it: `node run-crawl.ts '<config>' <speed>`. */

import { parseAtprotoConfig } from "../../src/atproto/atproto-config.ts";
import { AtprotoCrawl } from "../../src/atproto/atproto-crawl.ts";
import { QuickClock } from "../../src/atproto/testing/quick-clock.ts";
import { noSuchName } from "./crawling.ts";

const [config = "{}", speed = "50"] = process.argv.slice(2);
const crawl = await AtprotoCrawl.start({
  config: parseAtprotoConfig(JSON.parse(config)),
  threads: 1,
  clock: new QuickClock(Number(speed)),
  lookup: noSuchName,
  events: { onNotice: (text) => console.error(text) },
});
const { error } = await crawl.ended;
if (error !== null) throw error;
