/** When a page is tried again, by the limits of the config. */
import type { Task } from "../kernel/task.ts";
import { FetchError } from "../net/fetch-errors.ts";
import { serverDelay } from "../net/headers.ts";
import type { HttpResponse } from "../net/http-types.ts";
import { retryDelay } from "../politeness/retry.ts";
import type { ArchiveConfig } from "./config/archive-config.ts";

/** A longer `Retry-After` than this is not waited for in one piece; the lane asks again. */
const MAX_ASKED_MS = 60 * 60_000;

/** The wall time of the next try; null when this was the last one, or another would not help. */
export function retryAt(
  task: Task,
  outcome: HttpResponse | FetchError,
  limits: ArchiveConfig["limits"],
  now: number,
  random: () => number,
): number | null {
  const delayMs = retryDelay({
    attempt: task.attempt + 1,
    maxAttempts: limits.max_retries + 1,
    outcome: outcome instanceof FetchError ? outcome : outcome.status,
    // The cap is for our own back-off; what the host asks for is waited for.
    askedMs: outcome instanceof FetchError ? null : serverDelay(outcome.headers, now),
    maxAskedMs: MAX_ASKED_MS,
    random,
    backOff: { firstMs: limits.backoff_base_ms, maxMs: limits.backoff_cap_ms },
  });
  return delayMs === null ? null : now + delayMs;
}
