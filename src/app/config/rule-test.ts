/** URLs against the rules of a crawl that was not started, by the gate, the scope and the robots.txt of a real one. */
import type { Clock } from "../../kernel/clock.ts";
import type { Note } from "../../kernel/ledger.ts";
import type { FetchPermits } from "../../net/fetch-permits.ts";
import type { Lookup } from "../../net/http-types.ts";
import { fetchRobots, OutsideClient } from "../../site/client/outside-client.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import type { RobotsVerdict as RobotsTest } from "../../web/robots/robots.ts";
import { originOf } from "../../web/url.ts";
import type { RobotsQuestion, RobotsVerdict, TestedUrl } from "../operations/config.ts";
import { canonicalUrl, normalizeUrl } from "../url-input.ts";
import type { RobotsTask, RulesTask } from "./rule-decisions.ts";

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
  /** What is known about where the start's host is. */
  notes: Note[];
  lookup?: Lookup;
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
  const client = new OutsideClient({ config, startUrls: [canonicalUrl(start, config)], ...net });
  try {
    await client.loadRobots([...new Set(left.map((url) => `${originOf(url)}/`))]);
    const robots = Object.fromEntries(left.map((url) => [url, client.judge(url)]));
    return await decide({ start, urls, config, robots });
  } finally {
    await client.close();
  }
}

export interface RobotsTestOptions {
  question: RobotsQuestion;
  decide: (task: RobotsTask) => Promise<RobotsTest[]>;
  /** What is known about where the hosts are. */
  notes: Note[];
  lookup?: Lookup;
}

/** What robots.txt says about URLs: the rules given, or those of the URLs' hosts, fetched as a crawl fetches them. */
export async function testRobots({ question, decide, ...net }: RobotsTestOptions): Promise<RobotsVerdict[]> {
  const { agent, text: given } = question;
  const urls = question.urls.map(normalizeUrl);
  const judged = async (text: string, of: string[], source: string): Promise<[string, RobotsVerdict][]> => {
    const tests = await decide({ text, urls: of, agent });
    return tests.map((test, index) => [of[index]!, { url: of[index]!, unreachable: false, ...test, source }]);
  };
  if (given !== null) return (await judged(given, urls, "the rules given")).map(([, verdict]) => verdict);
  const answers = await fetchRobots(urls, net);
  const verdicts = new Map<string, RobotsVerdict>();
  for (const [origin, own] of Map.groupBy(urls, originOf)) {
    const { kind, why, text } = answers.get(origin)!;
    const found =
      kind === "rules"
        ? await judged(text, own, `${origin}/robots.txt`)
        : own.map((url) => without(url, kind === "allow-all", why));
    for (const [url, verdict] of found) verdicts.set(url, verdict);
  }
  return urls.map((url) => verdicts.get(url)!);
}

/** Of a host that has no rules, or did not answer. */
const without = (url: string, allowed: boolean, source: string): [string, RobotsVerdict] => [
  url,
  { url, allowed, unreachable: !allowed, line: null, rule: null, group: null, source },
];
