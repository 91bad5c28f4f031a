/**
 * Decides when a page has settled: the network is quiet and the DOM steady for `settleMs` of the page's own time.
 *
 * The page's clock is virtual: it is handed out in slices and stands still between them, so a quiet half second does
 * not cost half a second. This file holds the decision only; `render-visit.ts` hands out the time.
 */

export interface SettleLimits {
  settleMs: number;
  maxWaitMs: number;
}

/** What is seen of a page at one moment. */
export interface Sample {
  /** Real ms since the document was there. */
  wall: number;
  /** Ms of its own time that the page was given. */
  page: number;
  /** The parser has reached the end of the document. */
  parsed: boolean;
  /** Changes of the DOM so far. */
  mutations: number;
  /** Requests begun and ended so far. */
  traffic: number;
  /** Requests under way that are worth waiting for. */
  pending: number;
}

export interface SettleState {
  mutations: number;
  traffic: number;
  parsed: boolean;
  /** Page time of the last change. */
  changedAt: number;
}

export type SettleVerdict = "wait" | "settled" | "capped";

export const UNSETTLED: SettleState = { mutations: -1, traffic: -1, parsed: false, changedAt: 0 };

export function settle(
  state: SettleState,
  sample: Sample,
  limits: SettleLimits,
): { state: SettleState; verdict: SettleVerdict } {
  const same =
    state.mutations === sample.mutations && state.traffic === sample.traffic && state.parsed === sample.parsed;
  const next: SettleState = {
    mutations: sample.mutations,
    traffic: sample.traffic,
    parsed: sample.parsed,
    changedAt: same ? state.changedAt : sample.page,
  };
  return { state: next, verdict: verdictOn(next, sample, limits) };
}

function verdictOn(state: SettleState, sample: Sample, limits: SettleLimits): SettleVerdict {
  if (sample.parsed && sample.pending === 0 && sample.page - state.changedAt >= limits.settleMs) return "settled";
  // Page time may run faster than real time, so a page that changes for ever meets this cap within a second or two.
  if (sample.wall >= limits.maxWaitMs || sample.page >= limits.maxWaitMs) return "capped";
  return "wait";
}

/** A frame at 60 Hz: what only happens when frames are drawn must have its chance in every slice. */
const FRAME_MS = 17;
/** Each takes at least a frame: with 2, 3 and 5 of them a static page settled in 78, 97 and 135 ms. */
const SLICES = 3;

/** How page time is handed out: `page` ms of it, over at least `wall` ms of real time. */
export function slice(settleMs: number, live: boolean): { page: number; wall: number } {
  const page = Math.max(1, Math.ceil(settleMs / SLICES));
  // Sockets, event streams and workers answer in real time: a page that has one gets its time at that speed.
  return { page, wall: live ? page : Math.min(page, FRAME_MS) };
}
