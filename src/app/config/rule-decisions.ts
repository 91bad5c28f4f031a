/** Applies the rules of a crawl to URLs without using the network: the caller passes in what is known of robots.txt. */
import { TrawlError } from "../../errors.ts";
import type { Found, Verdict } from "../../kernel/task.ts";
import { type SiteMeta, siteMeta } from "../../site/links/link-kinds.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import { Gate } from "../../site/site-gate.ts";
import { REASONS, type Reason } from "../../site/site-reasons.ts";
import { siteScope } from "../../site/url-rules.ts";
import { parseRobots, type RobotsVerdict as RobotsTest } from "../../web/robots/robots.ts";
import type { TestedUrl } from "../operations/config.ts";
import { canonicalUrl } from "../url-input.ts";
import { checkedSettings } from "./setting-checks.ts";

export interface RulesTask {
  start: string;
  urls: string[];
  /** Its patterns need not have been checked. */
  config: SiteConfig;
  /** What robots.txt says about URLs; nothing about those that are left out. */
  robots: Record<string, Verdict | null>;
}

export function decideUrls({ start: typedStart, urls, config: given, robots }: RulesTask): TestedUrl[] {
  const config = checkedSettings(given);
  const start = canonicalUrl(typedStart, config);
  const scope = siteScope(config, [start]);
  return urls.map((typed) => {
    const url = urlOrProblem(typed, config, start);
    if (typeof url !== "string") {
      return { typed, url: null, verdict: "skip", reason: null, meaning: url.message, rule: null };
    }
    // Each URL gets its own gate, so that one URL does not use up the limits for the next.
    const gate = new Gate({
      ...{ config, scope, onUrl: null },
      robots: (each) => robots[each] ?? null,
      refuses: () => false,
    });
    return tested(typed, url, gate.decide(foundAs(url, url === start), false));
  });
}

export interface RobotsTask {
  text: string;
  urls: string[];
  /** The crawler's name. */
  agent: string;
}

export function decideRobots({ text, urls, agent }: RobotsTask): RobotsTest[] {
  const robots = parseRobots(Buffer.from(text));
  return urls.map((url) => robots.test(url, agent));
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
