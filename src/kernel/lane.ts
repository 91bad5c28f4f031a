/**
 * A lane's clock as a pure function: what a lane may do next follows from its state, the answers so far, and the time.
 *
 * All times are wall time in ms, because they outlive the process.
 */

import { backOff } from "./back-off.ts";

/** How one lane behaves; a product gives one per lane. */
export interface LanePolicy {
  /** Requests in flight at once. */
  concurrency: number;
  /** Minimum ms between two requests; 0 for no minimum. Includes the host's crawl-delay. */
  intervalMs: number;
  /** Back-off when an answer asks to slow down but does not say for how long. Doubles each time. */
  throttledMs: number;
  /** The longest wait that a host can ask for, */
  maxThrottledMs: number;
  /** and the longest of the lane's own back-off; the same unless given. */
  maxOwnThrottledMs?: number;
  /** A lane that is throttled for longer than this without a success is given up for this run; never unless given. */
  maxRestMs?: number;
  /** After this long without being throttled, the doubling starts over. */
  forgetThrottledMs: number;
  /** The interval assumed for a lane without one when its rate has to be halved. */
  overloadedIntervalMs: number;
  /** The slowest a lane in trouble gets, as a share of its rate. */
  minPace: number;
  /**
   * The rate is halved after this many failures in a row, of any kind, and again after as many more. 0: every overload
   * halves it, and an unreachable host does not.
   */
  halveEvery: number;
  /** Share of the full rate that each success restores. */
  recovery: number;
  /** Failures in a row after which the lane is blocked, and probed after a cool-down that doubles. */
  blockAfter: number;
  probeMs: number;
  maxProbeMs: number;
  /** Failed probes after which the lane is given up for this run. */
  giveUpAfter: number;
  /** What happens to the tasks of a lane that was given up: kept open for a later run, or failed. */
  onGiveUp: "park" | "fail";
  /**
   * Requests of the product and tasks take turns, so that a host that lists its contents page after page is also fetched from.
   * Without it, the product's requests come first: tasks may depend on them (robots.txt).
   */
  fairTurns?: boolean;
}

/** What survives a restart. */
export interface LaneState {
  /** No request before this time. */
  nextAt: number;
  /** Share of the full rate, 1 when all is well. */
  pace: number;
  /** How many times in a row the lane was throttled, and until when the last one applies. */
  throttles: number;
  throttledUntil: number;
  /** Failures in a row. */
  streak: number;
  /** Cool-downs in a row; over 0 means blocked, and only one request at a time is sent as a probe. */
  blocks: number;
  blockedUntil: number;
  /** Total number of requests. */
  spent: number;
  /** When the lane was first throttled since its last success; undefined while it is not. */
  restingSince?: number;
  /** What the host said, or did, when it was last in trouble; undefined after a success. */
  why?: string;
}

/** What a finished request tells its lane. */
export type LaneSignal =
  | { kind: "ok" }
  /** The task failed, but the host is fine (a 404, a 500 of one page). */
  | { kind: "neutral" }
  /** The host asked to slow down, and may have said for how long. `jitter` is a factor for the lane's own back-off. */
  | { kind: "throttled"; forMs: number | null; jitter?: number; why?: string }
  /** The server is in distress (503, resets, timeouts). */
  | { kind: "overloaded"; forMs: number | null; why?: string }
  /** The host does not answer. */
  | { kind: "unreachable"; why?: string }
  /** The host does not want to be requested: it is given up for this run. */
  | { kind: "closed"; why: string };

export const freshLane = (): LaneState => ({
  nextAt: 0,
  pace: 1,
  throttles: 0,
  throttledUntil: 0,
  streak: 0,
  blocks: 0,
  blockedUntil: 0,
  spent: 0,
});

/** Ms between two requests of this lane now. */
export const intervalOf = (state: LaneState, policy: LanePolicy): number =>
  state.pace >= 1 ? policy.intervalMs : Math.max(policy.intervalMs, policy.overloadedIntervalMs) / state.pace;

/** Requests this lane may have in flight now. */
export const concurrencyOf = (state: LaneState, policy: LanePolicy): number =>
  state.blocks > 0 ? 1 : Math.max(1, Math.floor(policy.concurrency * state.pace));

/** A request is sent now. */
export const depart = (state: LaneState, policy: LanePolicy, now: number): LaneState => ({
  ...state,
  nextAt: Math.max(now, state.nextAt) + intervalOf(state, policy),
  spent: state.spent + 1,
});

/** A request that had to wait after its release has left only now: the interval to the next one begins again. */
export const departLate = (state: LaneState, policy: LanePolicy, now: number): LaneState => ({
  ...state,
  nextAt: Math.max(state.nextAt, now + intervalOf(state, policy)),
});

/**
 * A lane restored after a restart. The last requests before a crash may not have been committed, so it waits a full interval
 * from now. If the wall clock was set back since, the lane must not wait longer than any rule requires.
 */
export const revive = (state: LaneState, policy: LanePolicy, now: number): LaneState => {
  const longest = Math.max(policy.maxThrottledMs, policy.maxProbeMs, intervalOf(state, policy));
  const nextAt = Math.max(state.nextAt, now + intervalOf(state, policy));
  return {
    ...state,
    nextAt: Math.min(nextAt, now + longest),
    throttledUntil: Math.min(state.throttledUntil, now + policy.maxThrottledMs),
    blockedUntil: Math.min(state.blockedUntil, now + policy.maxProbeMs),
    // A lane is given up for a run: the next one probes it once more, or waits for what is left of its rest.
    blocks: Math.min(state.blocks, policy.giveUpAfter),
    ...(state.restingSince !== undefined && { restingSince: now < state.throttledUntil ? now : undefined }),
  };
};

/** The wall clock was set back by `ms` while the crawl ran: without this the lane would wait that much longer. */
export const setBack = (state: LaneState, ms: number): LaneState => ({
  ...state,
  nextAt: state.nextAt - ms,
  throttledUntil: state.throttledUntil - ms,
  blockedUntil: state.blockedUntil - ms,
  ...(state.restingSince !== undefined && { restingSince: state.restingSince - ms }),
});

export const isGivenUp = (state: LaneState, policy: LanePolicy): boolean =>
  state.blocks > policy.giveUpAfter || restsTooLong(state, policy);

const restsTooLong = ({ restingSince, throttledUntil }: LaneState, { maxRestMs }: LanePolicy): boolean =>
  restingSince !== undefined && maxRestMs !== undefined && throttledUntil - restingSince > maxRestMs;

/** What a lane learns from a finished request. Only a success makes it faster. */
export function react(state: LaneState, signal: LaneSignal, policy: LanePolicy, now: number): LaneState {
  switch (signal.kind) {
    case "ok":
      return { ...recovered(state, now), pace: state.pace >= 1 ? 1 : Math.min(1, state.pace + policy.recovery) };
    case "neutral":
      return recovered(state, now);
    case "throttled": {
      // Several requests in flight may all get a 429: only the first may raise the back-off.
      const together = now < state.throttledUntil;
      if (together && signal.forMs === null) return state;
      const recent = now - state.throttledUntil < policy.forgetThrottledMs;
      const throttles = together ? state.throttles : recent ? state.throttles + 1 : 1;
      const maxMs = policy.maxOwnThrottledMs ?? policy.maxThrottledMs;
      const own = Math.min(maxMs, backOff({ firstMs: policy.throttledMs, maxMs }, throttles) * (signal.jitter ?? 1));
      const forMs = Math.min(signal.forMs ?? own, policy.maxThrottledMs);
      const throttledUntil = Math.max(state.throttledUntil, now + forMs);
      const nextAt = Math.max(state.nextAt, throttledUntil);
      const restingSince = state.restingSince ?? now;
      return { ...withReason(state, signal), throttles, throttledUntil, nextAt, restingSince };
    }
    case "overloaded":
      return failed(
        {
          ...withReason(state, signal),
          pace: policy.halveEvery === 0 ? halved(state, policy) : state.pace,
          nextAt: Math.max(state.nextAt, now + Math.min(signal.forMs ?? 0, policy.maxThrottledMs)),
        },
        policy,
        now,
      );
    case "unreachable":
      return failed(withReason(state, signal), policy, now);
    case "closed":
      return { ...withReason(state, signal), blocks: policy.giveUpAfter + 1 };
  }
}

/** The host answers. An answer that was under way when the host asked for a rest does not end the rest. */
function recovered(state: LaneState, now: number): LaneState {
  if (state.why === undefined && state.restingSince === undefined) return { ...state, streak: 0, blocks: 0 };
  if (now < state.throttledUntil) return { ...state, streak: 0, blocks: 0 };
  const { restingSince: _, why: __, ...rest } = state;
  return { ...rest, streak: 0, blocks: 0 };
}

const withReason = (state: LaneState, { why }: { why?: string }): LaneState =>
  why === undefined ? state : { ...state, why };

function failed(before: LaneState, policy: LanePolicy, now: number): LaneState {
  const streak = before.streak + 1;
  const halves = policy.halveEvery > 0 && streak % policy.halveEvery === 0;
  const state = { ...before, streak, pace: halves ? halved(before, policy) : before.pace };
  if (state.blocks === 0 && streak < policy.blockAfter) return state;
  // Requests that were in flight when the lane was blocked also fail: they are not probes.
  if (now < state.blockedUntil) return state;
  const blocks = state.blocks + 1;
  const blockedUntil = now + backOff({ firstMs: policy.probeMs, maxMs: policy.maxProbeMs }, blocks);
  return { ...state, blocks, blockedUntil, nextAt: Math.max(state.nextAt, blockedUntil) };
}

const halved = (state: LaneState, policy: LanePolicy): number => Math.max(policy.minPace, state.pace / 2);

/** What a lane is doing, and why it waits: a pure function of its clock, for people who watch a crawl. */
export type LaneActivity = "fetching" | "ready" | "waiting" | "throttled" | "blocked" | "given_up";

/**
 * Why a lane does not send: `interval` is its normal rate; `backoff` follows an answer that asked to slow down; `overloaded`
 * is a rate lowered because the server is in distress; `unreachable` waits after failures in a row, `probing` then tries one
 * request; `retry` waits for the time of the next attempt.
 */
export type LaneReason = "interval" | "backoff" | "overloaded" | "unreachable" | "probing" | "retry";

export interface LaneLoad {
  inFlight: number;
  /** Tasks that may be sent as soon as the clock allows, in memory or in the ledger. */
  hasTasks: boolean;
  /** When the first task to be retried may be sent; Infinity if there isn't one. */
  retryAt: number;
}

export interface LaneReport {
  lane: string;
  state: LaneActivity;
  /** Null when only the crawl's parallelism keeps it from sending. */
  reason: LaneReason | null;
  inFlight: number;
  /** Tasks admitted and not settled. */
  open: number;
  /** Wall time of its next request, in ms; null when it does not wait for its clock. */
  nextAt: number | null;
  /** What the host said, or did, when it was last in trouble; absent while all is well. */
  why?: string;
  /** Total number of requests. */
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
  if (isGivenUp(state, policy)) {
    return now < state.throttledUntil
      ? { state: "given_up", reason: "backoff", nextAt: state.throttledUntil }
      : { state: "given_up", reason: "unreachable", nextAt: null };
  }
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

/** The busiest first: those with requests in flight, then those with the most tasks. */
export const byBusiness = (a: LaneReport, b: LaneReport): number =>
  b.inFlight - a.inFlight || b.open - a.open || (a.lane < b.lane ? -1 : 1);
