/** robots.txt of hosts, fetched outside a crawl by the same rules as inside one: redirects, errors and retries alike. */
import { systemClock } from "../kernel/clock.ts";
import { originOf } from "../web/url.ts";
import { OutsideClient } from "./outside-client.ts";
import { parseConfig } from "./parse-config.ts";
import type { RobotsNote } from "./robots-keeper.ts";

/** The answer of every origin among the URLs. */
export async function fetchRobots(urls: string[]): Promise<Map<string, RobotsNote>> {
  const client = new OutsideClient({ config: parseConfig({}), startUrls: urls, clock: systemClock });
  try {
    await client.loadRobots([...new Set(urls.map((url) => `${originOf(url)}/`))]);
    return client.answers;
  } finally {
    await client.close();
  }
}
