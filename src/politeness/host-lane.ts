/** A host on the web as a lane: the policy it starts with, and what each response, or the lack of one, tells its lane. */
import type { LanePolicy, LaneSignal } from "../kernel/lane.ts";
import type { HttpResponse } from "../net/client.ts";
import { FetchError } from "../net/fetch-errors.ts";
import { serverDelay } from "../net/headers.ts";

/** The same for every product; each adds its own rate and concurrency. */
export const WEB_HOST_POLICY: LanePolicy = {
  concurrency: 1,
  intervalMs: 0,
  // 429 without a Retry-After: a minute, then twice as long each time, forgotten after half a quiet hour.
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
