/** robots.txt of hosts, fetched outside a crawl by the same rules as inside one: redirects, errors and retries alike. */
import { systemClock } from "../kernel/clock.ts";
import type { CrawlContext } from "../kernel/product.ts";
import { originOf } from "../web/url.ts";
import { createClient } from "./client.ts";
import { parseConfig } from "./parse-config.ts";
import { NOTE_PREFIX, RobotsKeeper, type RobotsNote } from "./robots-keeper.ts";

/** The answer of every origin among the URLs. */
export async function fetchRobots(urls: string[]): Promise<Map<string, RobotsNote>> {
  const config = parseConfig({});
  const client = createClient(config, urls, systemClock);
  const answers = new Map<string, RobotsNote>();
  const context: CrawlContext = {
    turn: async () => ({ done: () => {} }),
    pace: async () => {},
    note: ({ key, value }) => answers.set(key.slice(NOTE_PREFIX.length), JSON.parse(value) as RobotsNote),
    refreshPolicy: () => {},
    signal: new AbortController().signal,
  };
  const keeper = new RobotsKeeper({ config, client, clock: systemClock, context });
  try {
    await Promise.all([...new Set(urls.map(originOf))].map((origin) => keeper.load(`${origin}/`, false)));
    return answers;
  } finally {
    await client.destroy();
  }
}
