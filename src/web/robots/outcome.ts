/** What the answer to a request for robots.txt means for the host (RFC 9309, 2.3.1), and for how long. */
import { backOff } from "../../kernel/back-off.ts";

/** How the request ended: a status, or the name of the error. */
export type RobotsFetch = { status: number } | { error: string };

export interface RobotsOutcome {
  /** `rules`: parse the body and obey it. */
  readonly kind: "rules" | "allow-all" | "disallow-all";
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
