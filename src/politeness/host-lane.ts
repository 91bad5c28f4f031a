/**
 * A host on the web as a lane: the policy it starts with, what each response, or the lack of one, means for it, and
 * whether and when a fetch is tried again.
 */

import { type BackOff, backOff } from "../kernel/back-off.ts";
import type { LanePolicy, LaneSignal } from "../kernel/lane.ts";
import type { HttpResponse } from "../net/client.ts";
import { FetchError } from "../net/fetch-errors.ts";
import { serverDelay } from "../net/headers.ts";

/** The same for every product; each adds its own rate and concurrency. */
export const WEB_HOST_POLICY: LanePolicy = {
  concurrency: 1,
  intervalMs: 0,
  // 429 without a Retry-After: a minute, then twice as long each time, starting over after half an hour without one.
  throttledMs: 60_000,
  maxThrottledMs: 60 * 60_000,
  forgetThrottledMs: 30 * 60_000,
  overloadedIntervalMs: 100,
  minPace: 0.05,
  halveEvery: 0,
  recovery: 0.1,
  blockAfter: 10,
  probeMs: 10_000,
  maxProbeMs: 10 * 60_000,
  giveUpAfter: 4,
  onGiveUp: "park",
};

/** Hosts that the site only links to: requested gently, and given up soon. */
export const LINKED_HOST_POLICY: LanePolicy = {
  ...WEB_HOST_POLICY,
  concurrency: 2,
  blockAfter: 3,
  giveUpAfter: 0,
  onGiveUp: "fail",
};

/** What a response, or an error instead of one, says about the host. */
export function laneSignal(outcome: HttpResponse | FetchError, now: number): LaneSignal {
  if (outcome instanceof FetchError) return { kind: outcome.retryable ? "unreachable" : "neutral" };
  const { status } = outcome;
  if (status === 429) return { kind: "throttled", forMs: serverDelay(outcome.headers, now) };
  if (status === 502 || status === 503 || status === 504)
    return { kind: "overloaded", forMs: serverDelay(outcome.headers, now) };
  // A 500 is most often one broken page, not a server in distress.
  return { kind: status < 400 ? "ok" : "neutral" };
}

/** Whether and when to retry a fetch: a pure decision, so that it can be stored while the task waits. */
export interface RetryInput {
  /** The attempt that has just ended; the first is 1. */
  attempt: number;
  maxAttempts: number;
  /** The HTTP status, or the error. */
  outcome: number | FetchError;
  /** How long the server asks us to wait, in ms; null when it does not. */
  askedMs: number | null;
  /** The longest wait a server can ask for: a `Retry-After` of a year must not park a page forever. */
  maxAskedMs: number;
  /** A number in [0, 1). */
  random: () => number;
  /** Our own wait, with full jitter: many pages that failed together must not be retried together. */
  backOff: Omit<BackOff, "jitter">;
}

/** Request timeout, too many requests, and temporary server errors. */
const RETRYABLE_STATUSES = new Set([408, 429, 500, 502, 503, 504]);

export function isRetryable(outcome: number | FetchError): boolean {
  return outcome instanceof FetchError ? outcome.retryable : RETRYABLE_STATUSES.has(outcome);
}

/** Ms until the next attempt; null when this was the last one, or another would not help. */
export function retryDelay(input: RetryInput): number | null {
  if (!isRetryable(input.outcome) || input.attempt >= input.maxAttempts) return null;
  const own = backOff({ ...input.backOff, jitter: 1 }, input.attempt, input.random);
  return Math.max(own, Math.min(input.askedMs ?? 0, input.maxAskedMs));
}
