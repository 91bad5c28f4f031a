/** How an archive treats hosts: how fast it requests, when it retries, when a host rests, and what robots.txt means. */
import { backOff } from "../kernel/back-off.ts";
import type { LanePolicy, LaneSignal } from "../kernel/lane.ts";
import type { Task } from "../kernel/task.ts";
import { CALM_DOWN, FetchError } from "../net/fetch-errors.ts";
import { serverDelay } from "../net/headers.ts";
import type { HttpResponse } from "../net/http-types.ts";
import { isRetryable, laneSignal, WEB_HOST_POLICY } from "../politeness/host-lane.ts";
import type { RobotsSettings } from "../politeness/robots-keeper.ts";
import type { ArchiveConfig } from "./config/archive-config.ts";
import type { ArchiveSettings } from "./config/parse-archive-config.ts";
import type { SentAway } from "./host-health.ts";

type Limits = ArchiveConfig["limits"];

/** A longer `Retry-After` is not believed: the host is asked again after a day. */
const MAX_ASKED_MS = 24 * 60 * 60_000;

/**
 * A host that rests for too long, or stops answering, is never given up for good: its pages stay open for a later run.
 */
export function archiveLanePolicy(limits: Limits, crawlDelayMs: number): LanePolicy {
  const maxRestMs = limits.max_rest_sec * 1000;
  return {
    ...WEB_HOST_POLICY,
    concurrency: limits.per_host_concurrency,
    intervalMs: Math.max(1000 / limits.req_per_sec, crawlDelayMs),
    // Our own interval is never switched off; it is lengthened instead.
    overloadedIntervalMs: 0,
    throttledMs: limits.backoff_base_ms,
    maxOwnThrottledMs: limits.backoff_cap_ms,
    maxThrottledMs: MAX_ASKED_MS,
    maxRestMs,
    giveUpAfter: probesWithin(maxRestMs),
  };
}

/** How many probes of a host that does not answer fit into the longest rest. */
function probesWithin(maxRestMs: number): number {
  const { probeMs: firstMs, maxProbeMs: maxMs } = WEB_HOST_POLICY;
  let probes = 1;
  for (let ms = firstMs; ms < maxRestMs; probes++) ms += backOff({ firstMs, maxMs }, probes + 1);
  return probes;
}

/** Three to five quarters, so that pages and crawlers that were turned away together do not come back together. */
const jitter = (random: () => number): number => 0.75 + 0.5 * random();

/** What an answer, or the error that came instead, says about the host; `throttled` when the host asks for a rest. */
export function hostSignal(
  outcome: HttpResponse | FetchError,
  limits: Limits,
  now: number,
  random: () => number,
  /** The vendor of the bot check that was served. */
  challenge: string | null = null,
): LaneSignal {
  const signal = laneSignal(outcome, now);
  if (outcome instanceof FetchError) {
    const why = outcome.message;
    if (outcome.detail === CALM_DOWN) return { kind: "throttled", forMs: null, jitter: jitter(random), why };
    return signal.kind === "unreachable" ? { ...signal, why } : signal;
  }
  const { status, headers } = outcome;
  const askedMs = serverDelay(headers, now);
  const why = challenge === null ? `it answered ${status}` : `it answers with bot checks (${challenge})`;
  // A code host also sends a 403 when its limit is used up, and then says when to come back.
  if (challenge !== null || status === 429 || (askedMs !== null && (status === 403 || status >= 500))) {
    return { kind: "throttled", forMs: restMs(askedMs, limits, random), jitter: jitter(random), why };
  }
  return signal.kind === "overloaded" ? { ...signal, why } : signal;
}

/** Never shorter than the host asks. Null when it names no time, or none at all, as in `Retry-After: 0`. */
const restMs = (askedMs: number | null, limits: Limits, random: () => number): number | null =>
  askedMs === null || askedMs === 0 ? null : askedMs + random() * Math.min(askedMs / 4, limits.backoff_cap_ms);

/** How long to wait after this many failed attempts. */
export const retryMs = (attempts: number, limits: Limits, random: () => number): number => {
  const [firstMs, maxMs] = [limits.backoff_base_ms, limits.backoff_cap_ms];
  return Math.min(maxMs, backOff({ firstMs, maxMs }, attempts) * jitter(random));
};

const LONGEST_ALONE_MS = 60 * 60_000;

/**
 * How long a page that its host turned away waits; 0 when only the host's rest counts. If a page that is always turned
 * away were requested first after each rest, it would keep its host resting for ever. So from the second time on, other
 * pages come first, and while these are answered the wait grows each time.
 */
export function sentAwayUntil({ times, alone }: SentAway, signal: LaneSignal, limits: Limits, now: number): number {
  const { backoff_cap_ms: capMs } = limits;
  const askedMs = signal.kind === "throttled" ? signal.forMs : null;
  if (alone > 0) return now + Math.max(askedMs ?? 0, backOff({ firstMs: capMs * 2, maxMs: LONGEST_ALONE_MS }, alone));
  // Longer than the rest, whatever its jitter.
  return times > 1 ? now + (askedMs ?? capMs * 1.25) + capMs / 4 : 0;
}

/** The wall time of the next attempt; null when this was the last one, or another would not help. */
export function retryAt(
  task: Task,
  outcome: HttpResponse | FetchError,
  limits: Limits,
  now: number,
  random: () => number,
): number | null {
  const isLast = task.attempt >= limits.max_retries;
  if (isLast || !isRetryable(outcome instanceof FetchError ? outcome : outcome.status)) return null;
  const askedMs = outcome instanceof FetchError ? 0 : (serverDelay(outcome.headers, now) ?? 0);
  return now + Math.max(retryMs(task.attempt + 1, limits, random), Math.min(askedMs, MAX_ASKED_MS));
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
  isStrict: true,
  robotsMaxAgeMs: config.robots.cache_ttl_sec * 1000,
});

const PRIVATE = new FetchError("private_address").message;

/** What to do about a host that our own guard refuses. */
export const privateHint = (why: string): string =>
  why.includes(PRIVATE) ? ". If the host is in your own network, name it in scope.private_hosts" : "";
