/** What a lane is doing, and why it waits: a pure reading of its clock, for people who watch a crawl. */
import { concurrencyOf, isGivenUp, type LanePolicy, type LaneState } from "./lane.ts";

export type LaneActivity = "fetching" | "ready" | "waiting" | "throttled" | "blocked" | "given_up";

/**
 * Why a lane does not send: `interval` is its own rate; `backoff` follows being told to slow down; `overloaded` is a rate
 * lowered because the other side is in distress; `unreachable` waits after failures in a row, `probing` tries one request
 * after that; `retry` waits for the time of the next try.
 */
export type LaneReason = "interval" | "backoff" | "overloaded" | "unreachable" | "probing" | "retry";

export interface LaneLoad {
  inFlight: number;
  /** Tasks that may be sent as soon as the clock allows, in memory or in the ledger. */
  hasTasks: boolean;
  /** When the first of those to be tried again may be sent; infinite when there is none. */
  retryAt: number;
}

export interface LaneReport {
  lane: string;
  state: LaneActivity;
  /** Null when nothing keeps it from sending but the crawl's own parallelism. */
  reason: LaneReason | null;
  inFlight: number;
  /** Tasks admitted and not settled. */
  open: number;
  /** Wall time of its next request, in ms; null when it is not the clock that it waits for. */
  nextAt: number | null;
  /** Requests made in all. */
  spent: number;
  /** Share of the full rate, 1 when all is well. */
  pace: number;
}

export function laneActivity(
  state: LaneState,
  policy: LanePolicy,
  { inFlight, hasTasks, retryAt }: LaneLoad,
  now: number,
): Pick<LaneReport, "state" | "reason" | "nextAt"> {
  if (isGivenUp(state, policy)) return { state: "given_up", reason: "unreachable", nextAt: null };
  if (state.blocks > 0) {
    return now < state.blockedUntil
      ? { state: "blocked", reason: "unreachable", nextAt: state.nextAt }
      : { state: "blocked", reason: "probing", nextAt: null };
  }
  if (now < state.throttledUntil) return { state: "throttled", reason: "backoff", nextAt: state.nextAt };
  const dueAt = Math.max(state.nextAt, hasTasks ? 0 : retryAt);
  const waits = now < dueAt && Number.isFinite(dueAt);
  const reason = state.pace < 1 ? "overloaded" : now < state.nextAt ? "interval" : "retry";
  if (inFlight > 0) {
    const isFull = inFlight >= concurrencyOf(state, policy);
    return { state: "fetching", reason: waits && !isFull ? reason : null, nextAt: waits && !isFull ? dueAt : null };
  }
  return waits ? { state: "waiting", reason, nextAt: dueAt } : { state: "ready", reason: null, nextAt: null };
}

/** The busiest first: those with requests under way, then those with most to do. */
export const byBusiness = (a: LaneReport, b: LaneReport): number =>
  b.inFlight - a.inFlight || b.open - a.open || (a.lane < b.lane ? -1 : 1);
