/** Whether and when to try a fetch again: a pure decision, so that the lane that waits can write it down. */
import { FetchError } from "./fetch-errors.ts";
import { parseRetryAfter } from "./headers.ts";

export interface RetryInput {
  /** The attempt that has just ended; the first is 1. */
  attempt: number;
  maxAttempts: number;
  /** The HTTP status, or the error. */
  outcome: number | FetchError;
  /** The raw `Retry-After` header, where there was one. */
  retryAfter: string | null;
  /** Wall time in ms. */
  now: number;
  /** A number in [0, 1). */
  random: () => number;
  /** The back-off before the second attempt; it doubles with each attempt after. */
  baseMs: number;
  /** No wait is longer, whatever the server asks: a `Retry-After` of a year must not park a page for ever. */
  maxDelayMs: number;
}

export interface RetryDecision {
  retry: boolean;
  delayMs: number;
}

/** Request timeout, too many requests, and the server errors that pass. */
const RETRYABLE_STATUSES = new Set([408, 429, 500, 502, 503, 504]);

export function isRetryable(outcome: number | FetchError): boolean {
  return outcome instanceof FetchError ? outcome.retryable : RETRYABLE_STATUSES.has(outcome);
}

export function retryDecision(input: RetryInput): RetryDecision {
  if (!isRetryable(input.outcome) || input.attempt >= input.maxAttempts) return { retry: false, delayMs: 0 };
  // Full jitter: many pages that failed together must not come back together.
  const ceiling = Math.min(input.maxDelayMs, input.baseMs * 2 ** Math.min(input.attempt - 1, 30));
  const backOff = input.random() * ceiling;
  const asked = input.retryAfter === null ? null : parseRetryAfter(input.retryAfter, input.now);
  return { retry: true, delayMs: Math.min(input.maxDelayMs, Math.max(backOff, asked ?? 0)) };
}
