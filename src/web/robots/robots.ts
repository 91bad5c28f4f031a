/** robots.txt, parsed once and consulted for every URL of its host: may our agent fetch it, and which line decides? */
import { compileMatcher, type RobotsVerdict } from "./match.ts";
import { normalizeUrlPath, parseLines, productToken } from "./parse.ts";

export type { RobotsVerdict } from "./match.ts";
export { MAX_CRAWL_DELAY_SECONDS, MAX_ROBOTS_BYTES, withoutCutLine } from "./parse.ts";

/** The rules of the file for one agent. */
export interface AgentRules {
  /** Takes an absolute URL of the file's host. */
  test(url: string): RobotsVerdict;
  /** Seconds between requests that the site asks for, at most `MAX_CRAWL_DELAY_SECONDS`. */
  readonly crawlDelay: number | null;
}

export interface Robots {
  test(url: string, agentToken: string): RobotsVerdict;
  crawlDelay(agentToken: string): number | null;
  /** Compiled once for each agent and kept. */
  forAgent(agentToken: string): AgentRules;
  /** Values of all `Sitemap:` lines, as written, each once. */
  readonly sitemaps: readonly string[];
}

/** RFC 9309, 2.2.2: fetching robots.txt itself is always allowed. */
const ALWAYS_ALLOWED = "/robots.txt";

/** Path and query of any absolute URL, canonical or not; `/` when it has none. */
function requestPath(url: string): string {
  const scheme = url.indexOf("://");
  const hostStart = scheme < 0 ? 0 : scheme + 3;
  const offset = url.slice(hostStart).search(/[/?#]/);
  if (offset < 0) return "/";
  const start = hostStart + offset;
  const hash = url.indexOf("#", start);
  const path = url.slice(start, hash < 0 ? url.length : hash);
  return path.startsWith("/") ? path : `/${path}`;
}

/** Of several delays, the longest, to be safe. */
function longest(delays: readonly number[]): number | null {
  return delays.length === 0 ? null : delays.reduce((left, right) => Math.max(left, right));
}

/**
 * Reads a robots.txt: text, octets, or an HTML page sent in its place. Never throws.
 *
 * An agent is identified by its product token: the leading letters, `-` and `_`, ignoring case. `FooBot/2.1` and
 * `Foobot (beta)` are both `foobot`. If any group names the agent, all such groups are combined and `*` is ignored; otherwise
 * the groups for `*` apply.
 */
export function parseRobots(input: string | Uint8Array): Robots {
  const { groups, sitemaps } = parseLines(input);
  const agents = new Map<string, AgentRules>();

  function forAgent(agentToken: string): AgentRules {
    const token = productToken(agentToken).toLowerCase();
    const known = agents.get(token);
    if (known !== undefined) return known;
    const group = (token === "" ? undefined : groups.get(token)) ?? groups.get("*") ?? null;
    const match = compileMatcher(group);
    const exempt: RobotsVerdict = Object.freeze({ allowed: true, line: null, rule: null, group: group?.name ?? null });
    const rules: AgentRules = {
      test(url) {
        const path = normalizeUrlPath(requestPath(url));
        return path === ALWAYS_ALLOWED ? exempt : match(path);
      },
      crawlDelay: longest(group?.delays.flat() ?? []),
    };
    agents.set(token, rules);
    return rules;
  }

  return {
    test: (url, agentToken) => forAgent(agentToken).test(url),
    crawlDelay: (agentToken) => forAgent(agentToken).crawlDelay,
    forAgent,
    sitemaps,
  };
}
