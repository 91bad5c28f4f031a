/** URLs against the rules of a crawl that was not started, by the gate, the scope and the robots.txt of a real one. */
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Found, Verdict } from "../../kernel/task.ts";
import type { FetchPermits } from "../../net/fetch-permits.ts";
import { type SiteMeta, siteMeta } from "../../site/link-kinds.ts";
import { fetchRobots, OutsideClient } from "../../site/outside-client.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import { Gate } from "../../site/site-gate.ts";
import { REASONS, type Reason } from "../../site/site-reasons.ts";
import { siteScope } from "../../site/url-rules.ts";
import { parseRobots } from "../../web/robots/robots.ts";
import { originOf } from "../../web/url.ts";
import type { RobotsQuestion, RobotsVerdict, TestedUrl } from "../operations/config.ts";
import { canonicalUrl, normalizeUrl } from "../url-input.ts";

export interface RuleTestOptions {
  start: string;
  urls: string[];
  config: SiteConfig;
  /** Fetch robots.txt of the hosts. */
  askRobots: boolean;
  clock: Clock;
  permits?: FetchPermits;
}

export async function testRules(options: RuleTestOptions): Promise<TestedUrl[]> {
  const { config, urls, clock, permits } = options;
  const start = canonicalUrl(options.start, config);
  const scope = siteScope(config, [start]);
  const canonical = urls.map((typed) => urlOrProblem(typed, config, start));
  const client = new OutsideClient({ config, startUrls: [start], clock, permits });
  try {
    if (options.askRobots && config.robots !== "ignore") {
      // Only of URLs that the other rules leave: a crawl would not ask the rest either.
      const left = canonical.filter((url) => typeof url === "string" && decide(url, () => null).action === "crawl");
      await client.loadRobots([...new Set((left as string[]).map((url) => `${originOf(url)}/`))]);
    }
    return canonical.map((url, index) => {
      const typed = urls[index]!;
      if (typeof url === "string")
        return tested(
          typed,
          url,
          decide(url, (each) => client.judge(each)),
        );
      return { typed, url: null, verdict: "skip", reason: null, meaning: url.message, rule: null };
    });
  } finally {
    await client.close();
  }

  /** A gate for each, so that one URL does not use up the limits for the next. */
  function decide(url: string, robots: (url: string) => Verdict | null): Verdict {
    return new Gate({ config, scope, robots, onUrl: null }).decide(foundAs(url, url === start), false);
  }
}

function urlOrProblem(typed: string, config: SiteConfig, start: string): string | TrawlError {
  try {
    return canonicalUrl(typed.trim(), config, start);
  } catch (error) {
    if (error instanceof TrawlError) return error;
    throw error;
  }
}

/** The start itself, or a plain link on the start page. */
const foundAs = (key: string, isStart: boolean): Found<SiteMeta> => ({
  key,
  depth: isStart ? 0 : 1,
  parent: 0,
  hops: 0,
  meta: isStart ? siteMeta("initial", "start") : siteMeta("spider", "anchor"),
});

function tested(typed: string, url: string, { action, reason, rule }: Verdict): TestedUrl {
  const meaning = reason === null ? null : REASONS[reason as Reason].meaning;
  return { typed, url, verdict: action, reason, meaning, rule };
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
