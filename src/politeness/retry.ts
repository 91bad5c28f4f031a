/** Whether and when to try a fetch again: a pure decision, so that the lane that waits can write it down. */
import { type BackOff, backOff } from "../kernel/back-off.ts";
import { FetchError } from "../net/fetch-errors.ts";

export interface RetryInput {
  /** The attempt that has just ended; the first is 1. */
  attempt: number;
  maxAttempts: number;
  /** The HTTP status, or the error. */
  outcome: number | FetchError;
  /** How long the server asks us to wait, in ms; null when it does not. */
  askedMs: number | null;
  /** No longer is waited however long the server asks: a `Retry-After` of a year must not park a page for ever. */
  maxAskedMs: number;
  /** A number in [0, 1). */
  random: () => number;
  /** Our own wait. The jitter is full: many pages that failed together must not come back together. */
  backOff: Omit<BackOff, "jitter">;
}

/** Request timeout, too many requests, and the server errors that pass. */
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
