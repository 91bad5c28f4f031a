/** How an archive treats hosts: how fast it requests, when it retries, and what robots.txt means. */
import type { LanePolicy } from "../kernel/lane.ts";
import type { Task } from "../kernel/task.ts";
import { FetchError } from "../net/fetch-errors.ts";
import { serverDelay } from "../net/headers.ts";
import type { HttpResponse } from "../net/http-types.ts";
import { retryDelay, WEB_HOST_POLICY } from "../politeness/host-lane.ts";
import type { RobotsSettings } from "../politeness/robots-keeper.ts";
import type { ArchiveConfig } from "./config/archive-config.ts";
import type { ArchiveSettings } from "./config/parse-archive-config.ts";

/** A host that stops answering is never given up on: its pages stay open for a later run. */
export const archiveLanePolicy = (limits: ArchiveConfig["limits"], crawlDelayMs: number): LanePolicy => ({
  ...WEB_HOST_POLICY,
  concurrency: limits.per_host_concurrency,
  intervalMs: Math.max(1000 / limits.req_per_sec, crawlDelayMs),
  // Our own interval always exists, and is lengthened instead.
  overloadedIntervalMs: 0,
});

/** A longer `Retry-After` is not waited for in one piece; the host is tried again in between. */
const MAX_ASKED_MS = 60 * 60_000;

/** The wall time of the next attempt; null when this was the last one, or another would not help. */
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
    // The cap is for our own back-off; a wait that the host asks for is honoured in full.
    askedMs: outcome instanceof FetchError ? null : serverDelay(outcome.headers, now),
    maxAskedMs: MAX_ASKED_MS,
    random,
    backOff: { firstMs: limits.backoff_base_ms, maxMs: limits.backoff_cap_ms },
  });
  return delayMs === null ? null : now + delayMs;
}

/** robots.txt is always obeyed, under the name that the config gives. */
export const robotsSettings = ({ config, robotsAgent }: ArchiveSettings): RobotsSettings => ({
  robots: "respect",
  robotsAgent,
  retries: config.limits.max_retries,
  // A host that asks for hours between two requests gets them.
  maxCrawlDelay: Number.POSITIVE_INFINITY,
  // A host that refuses connections for a moment must not lose the protection of its rules for a minute.
  denyUnanswered: true,
  robotsMaxAgeMs: config.robots.cache_ttl_sec * 1000,
});
