/** robots.txt of hosts, fetched outside a crawl by the same rules as inside one: redirects and errors alike. */
import { systemClock } from "../kernel/clock.ts";
import type { RobotsNote } from "../politeness/robots-keeper.ts";
import { originOf } from "../web/url.ts";
import { OutsideClient } from "./outside-client.ts";
import { parseConfig } from "./site-config.ts";

/** The answer of every origin among the URLs. Each is asked once: a person waits for it, and may ask again. */
export async function fetchRobots(urls: string[]): Promise<Map<string, RobotsNote>> {
  // No page is asked for here, whose own error would tell that nobody answers.
  const config = { ...parseConfig({ retries: 0 }), denyUnanswered: true };
  const client = new OutsideClient({ config, startUrls: urls, clock: systemClock });
  try {
    await client.loadRobots([...new Set(urls.map((url) => `${originOf(url)}/`))]);
    return client.answers;
  } finally {
    await client.close();
  }
}
