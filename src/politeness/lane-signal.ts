/** What a response, or its absence, tells the lane of its host. */
import type { LaneSignal } from "../kernel/lane.ts";
import type { HttpResponse } from "../net/client.ts";
import { FetchError } from "../net/fetch-errors.ts";
import { serverDelay } from "../net/headers.ts";

export function laneSignal(outcome: HttpResponse | FetchError, now: number): LaneSignal {
  if (outcome instanceof FetchError) return { kind: outcome.retryable ? "unreachable" : "neutral" };
  const { status } = outcome;
  if (status === 429) return { kind: "throttled", forMs: serverDelay(outcome.headers, now) };
  if (status === 502 || status === 503 || status === 504)
    return { kind: "overloaded", forMs: serverDelay(outcome.headers, now) };
  // A 500 is most often one broken page, not a server in distress.
  return { kind: status < 400 ? "ok" : "neutral" };
}
