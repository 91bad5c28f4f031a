/** What the answer to a request for robots.txt means for the host (RFC 9309, 2.3.1), and for how long. */
import { backOff } from "../../kernel/back-off.ts";

/** How the request ended: a status, or the name of the error that kept one from coming. */
export type RobotsFetch = { status: number } | { error: string };

export interface RobotsOutcome {
  /** `rules`: parse the body and obey it. */
  readonly kind: "rules" | "allow-all" | "disallow-all";
  /** How long this holds; then robots.txt is asked for again. */
  readonly ttlMs: number;
  /** For people. */
  readonly reason: string;
}

const MINUTE = 60_000;

/** RFC 9309, 2.4: no longer than 24 hours. */
const LONGEST = 24 * 60 * MINUTE;

/** A host that is down is asked again after a minute, then less and less often. */
const UNREACHABLE = { firstMs: MINUTE, maxMs: LONGEST };

/**
 * `attempt` counts failures in a row, from 1. The caller follows up to five redirects; a redirect that arrives here
 * is the sixth, or leads to no URL, and counts as a missing file (RFC 9309, 2.3.1.2).
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
      reason: `robots.txt answered ${status} and leads nowhere: there is none`,
    };
  }
  // 429 says "later", not "there is none".
  if (status >= 400 && status < 500 && status !== 429) {
    return { kind: "allow-all", ttlMs: LONGEST, reason: `robots.txt answered ${status}: there are no rules` };
  }
  return {
    kind: "disallow-all",
    ttlMs: backOff(UNREACHABLE, attempt),
    reason: `robots.txt answered ${status}: nothing is fetched`,
  };
}
