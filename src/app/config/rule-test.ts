/** URLs against the rules of a crawl that was not started, by the gate, the scope and the robots.txt of a real one. */
import type { Clock } from "../../kernel/clock.ts";
import type { FetchPermits } from "../../net/fetch-permits.ts";
import { fetchRobots, OutsideClient } from "../../site/outside-client.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import { parseRobots } from "../../web/robots/robots.ts";
import { originOf } from "../../web/url.ts";
import type { RobotsQuestion, RobotsVerdict, TestedUrl } from "../operations/config.ts";
import { canonicalUrl, normalizeUrl } from "../url-input.ts";
import type { RulesTask } from "./rule-decisions.ts";

export interface RuleTestOptions {
  start: string;
  urls: string[];
  config: SiteConfig;
  /** Fetch robots.txt of the hosts. */
  askRobots: boolean;
  /** `decideUrls`, here or in another process. */
  decide: (task: RulesTask) => Promise<TestedUrl[]>;
  clock: Clock;
  permits?: FetchPermits;
}

export async function testRules({
  start,
  urls,
  config,
  askRobots,
  decide,
  ...net
}: RuleTestOptions): Promise<TestedUrl[]> {
  const tested = await decide({ start, urls, config, robots: {} });
  // Only of URLs that the other rules leave: a crawl would not ask the rest either.
  const left = tested.flatMap(({ url, verdict }) => (url !== null && verdict === "crawl" ? [url] : []));
  if (!askRobots || config.robots === "ignore" || left.length === 0) return tested;
  // Patterns have nothing to do with robots.txt, and compiling them takes time.
  const plain = { ...config, include: [], exclude: [] };
  const client = new OutsideClient({ config: plain, startUrls: [canonicalUrl(start, config)], ...net });
  try {
    await client.loadRobots([...new Set(left.map((url) => `${originOf(url)}/`))]);
    const robots = Object.fromEntries(left.map((url) => [url, client.judge(url)]));
    return await decide({ start, urls, config, robots });
  } finally {
    await client.close();
  }
}

/** What robots.txt says about URLs: the rules given, or those of the URLs' hosts, fetched as a crawl fetches them. */
export async function testRobots({ urls: typed, agent, text }: RobotsQuestion): Promise<RobotsVerdict[]> {
  const urls = typed.map(normalizeUrl);
  if (text !== null) {
    const robots = parseRobots(Buffer.from(text));
    return urls.map((url) => ({ url, unreachable: false, ...robots.test(url, agent), source: "the rules given" }));
  }
  const answers = await fetchRobots(urls);
  return urls.map((url) => {
    const { origin } = new URL(url);
    const { kind, why, text } = answers.get(origin)!;
    if (kind === "rules") {
      return { url, unreachable: false, ...parseRobots(text).test(url, agent), source: `${origin}/robots.txt` };
    }
    const allowed = kind === "allow-all";
    return { url, allowed, unreachable: !allowed, line: null, rule: null, group: null, source: why };
  });
}
