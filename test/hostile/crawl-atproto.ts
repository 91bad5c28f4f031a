/** A crawl of AT Protocol repos, as a process of its own. Its clock is fast, so that retries do not take minutes. */

import { parseAtprotoConfig } from "../../src/atproto/atproto-config.ts";
import { AtprotoCrawl } from "../../src/atproto/atproto-crawl.ts";
import { QuickClock } from "../../src/atproto/testing/quick-clock.ts";
import { endChild } from "./run-child.ts";

const failures: Record<string, string> = {};
const crawl = await AtprotoCrawl.start({
  config: parseAtprotoConfig(JSON.parse(process.argv[2]!) as Record<string, unknown>),
  threads: 1,
  clock: new QuickClock(200),
  lookup: (name) => Promise.reject(Object.assign(new Error(`ENOTFOUND ${name}`), { code: "ENOTFOUND" })),
  events: {
    onNotice: () => {},
    onRepo: ({ did, failure }) => {
      if (failure !== null) failures[did] = failure;
    },
  },
});
const { error, state } = await crawl.ended;
if (error !== null) throw error;
endChild({ state, failures });
