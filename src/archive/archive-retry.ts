/** When a page is tried again, by the limits of the config. */
import type { Task } from "../kernel/task.ts";
import { FetchError } from "../net/fetch-errors.ts";
import { headerValue, serverDelay } from "../net/headers.ts";
import type { HttpResponse } from "../net/http-types.ts";
import { retryDecision } from "../net/retry.ts";
import type { ArchiveConfig } from "./config/archive-config.ts";

/** A longer `Retry-After` than this is not waited for in one piece; the lane asks again. */
const MAX_ASKED_MS = 60 * 60_000;

/** The wall time of the next try; null when this was the last one, or another would be of no use. */
export function retryAt(
  task: Task,
  outcome: HttpResponse | FetchError,
  limits: ArchiveConfig["limits"],
  now: number,
  random: () => number,
): number | null {
  const answer = outcome instanceof FetchError ? null : outcome;
  const { retry, delayMs } = retryDecision({
    attempt: task.attempt + 1,
    maxAttempts: limits.max_retries + 1,
    outcome: outcome instanceof FetchError ? outcome : outcome.status,
    retryAfter: answer === null ? null : headerValue(answer.headers, "retry-after"),
    now,
    random,
    baseMs: limits.backoff_base_ms,
    maxDelayMs: limits.backoff_cap_ms,
  });
  if (!retry) return null;
  // The cap is for our own back-off; what the host asks for is waited for.
  const asked = answer === null ? 0 : Math.min(serverDelay(answer.headers, now) ?? 0, MAX_ASKED_MS);
  return now + Math.max(delayMs, asked);
}
