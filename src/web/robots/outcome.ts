/** What the answer to a request for robots.txt means for the host (RFC 9309, 2.3.1), and for how long. */
import { backOff } from "../../kernel/back-off.ts";

/**
 * How the request ended: a status, or the name of the error. `isOurs`: we refused to connect, so asking again would not
 * help.
 */
export type RobotsFetch = { status: number } | { error: string; isOurs?: boolean };

export interface RobotsOutcome {
  /** `rules`: parse the body and obey it. `closed`: the host answered, but does not let its rules be read. */
  readonly kind: "rules" | "allow-all" | "disallow-all" | "closed";
  /** How long this is valid; then robots.txt is requested again. */
  readonly ttlMs: number;
  /** For people. */
  readonly reason: string;
}

const MINUTE = 60_000;

/** RFC 9309, 2.4: no longer than 24 hours. */
const LONGEST = 24 * 60 * MINUTE;

/** A host that is down is tried again after a minute, then less and less often. */
const UNREACHABLE = { firstMs: MINUTE, maxMs: LONGEST };

/**
 * How a strict crawler treats an answer that RFC 9309 counts as "there are no rules"; null when it has no objection.
 */
export function strictOutcome(fetched: RobotsFetch, text: string): RobotsOutcome | null {
  const closed = (why: string, ttlMs = MINUTE): RobotsOutcome => ({
    kind: "closed",
    ttlMs,
    reason: `robots.txt ${why}: nothing is fetched`,
  });
  // Not remembered, because with other settings it can be read at once.
  if ("error" in fetched) return fetched.isOurs ? closed(`cannot be read: ${fetched.error}`, 0) : null;
  const { status } = fetched;
  if (status === 401 || status === 403) return closed(`answered ${status}`);
  return status >= 200 && status < 300 && !isRobotsText(text) ? closed("cannot be parsed") : null;
}

const DIRECTIVE = /^[\s\uFEFF]*(?:user-?agent|(?:dis)?allow|crawl-?delay|sitemap|host|clean-param)[ \t]*:/im;
const COMMENT = /^[\s\uFEFF]*(?:#.*)?$/;

/**
 * An HTML page or binary data sent instead of the file holds no rules, but that does not mean that the site has no
 * rules.
 */
function isRobotsText(text: string): boolean {
  if (/^[\s\uFEFF]*</.test(text) || text.includes("\0")) return false;
  return DIRECTIVE.test(text) || text.split("\n").every((line) => COMMENT.test(line));
}

/**
 * `attempt` counts failures in a row, from 1. The caller follows up to five redirects; a redirect that arrives here
 * is the sixth, or has no valid target, and counts as a missing file (RFC 9309, 2.3.1.2).
 */
export function robotsOutcome(fetched: RobotsFetch, attempt = 1): RobotsOutcome {
  if ("error" in fetched) {
    return {
      kind: "disallow-all",
      ttlMs: backOff(UNREACHABLE, attempt),
      reason: `robots.txt could not be read: ${fetched.error}`,
    };
  }
  const { status } = fetched;
  if (status >= 200 && status < 300) return { kind: "rules", ttlMs: LONGEST, reason: `robots.txt answered ${status}` };
  if (status >= 300 && status < 400) {
    return {
      kind: "allow-all",
      ttlMs: LONGEST,
      reason: `robots.txt answered ${status} without a usable target: there are no rules`,
    };
  }
  // 429 means "later", not "there are no rules".
  if (status >= 400 && status < 500 && status !== 429) {
    return { kind: "allow-all", ttlMs: LONGEST, reason: `robots.txt answered ${status}: there are no rules` };
  }
  return {
    kind: "disallow-all",
    ttlMs: backOff(UNREACHABLE, attempt),
    reason: `robots.txt answered ${status}: nothing is fetched`,
  };
}
