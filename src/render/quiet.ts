/**
 * When a page has settled: nothing in progress and a steady DOM for a few seconds of the page's own time.
 *
 * The page's clock is virtual: it is handed out in slices and stands still between them, so quiet seconds do not cost
 * seconds.
 */
import type { CDPSession, Protocol } from "puppeteer-core";
import { LATE, within } from "./browser-process.ts";

export interface QuietLimits {
  settleMs: number;
  maxWaitMs: number;
}

/** What is observed of a page at one moment. */
export interface Sample {
  /** Real ms since the document was loaded. */
  wall: number;
  /** Ms of virtual time given to the page. */
  page: number;
  /** The parser has reached the end of the document. */
  parsed: boolean;
  /** Changes of the DOM so far. */
  mutations: number;
  /** Requests begun and ended so far. */
  traffic: number;
  /** Requests under way that are worth waiting for, and workers that are busy. */
  pending: number;
  /** Timers that will fire within a few seconds. */
  timers: number;
  /** Timers set so far. */
  timersSet: number;
  /** Intervals and chains of frames, which may have no end. */
  repeating: number;
  /** Questions to the browser that it has not answered yet: databases, caches, digests. */
  asked: number;
}

/** What a page was doing when its time was up. */
export type Unrest = "still_changing" | "still_requesting" | "worker_busy" | "timer_pending";

export interface QuietState {
  mutations: number;
  traffic: number;
  parsed: boolean;
  /** Page time, and timers set, at the last change. */
  changedAt: number;
  timersSet: number;
  /** The DOM, not the traffic, was the last to change. */
  byMutation: boolean;
}

export type QuietVerdict = "wait" | "quiet" | "capped";

export const UNSEEN: QuietState = {
  mutations: -1,
  traffic: -1,
  parsed: false,
  changedAt: 0,
  timersSet: 0,
  byMutation: false,
};

/**
 * How long a page must be steady, whatever it waits for, because animations, refreshes and other origins' timers go
 * unnoticed until they change something. A page that only waits gets this time in a few real ms.
 */
export const STEADY_MS = 5_000;
export const steadyMs = ({ settleMs, maxWaitMs }: QuietLimits): number =>
  Math.max(settleMs, Math.min(STEADY_MS, maxWaitMs / 2));

/** A timer that has been set this many times without any change on the page is taken to be endless. */
const IDLE_TIMERS = 25;

export function judge(
  state: QuietState,
  sample: Sample,
  limits: QuietLimits,
): { state: QuietState; verdict: QuietVerdict } {
  const same =
    state.mutations === sample.mutations && state.traffic === sample.traffic && state.parsed === sample.parsed;
  const { mutations, traffic, parsed } = sample;
  const byMutation = state.mutations !== sample.mutations;
  const last = same ? state : { changedAt: sample.page, timersSet: sample.timersSet, byMutation };
  const { changedAt, timersSet } = last;
  const next: QuietState = { mutations, traffic, parsed, changedAt, timersSet, byMutation: last.byMutation };
  return { state: next, verdict: verdictOn(next, sample, limits) };
}

function verdictOn(state: QuietState, sample: Sample, limits: QuietLimits): QuietVerdict {
  const steadyFor = sample.page - state.changedAt;
  const idle = sample.parsed && sample.pending + sample.asked === 0;
  const awaitsTimer = sample.timers > 0 && sample.timersSet - state.timersSet < IDLE_TIMERS;
  if (idle && !awaitsTimer && steadyFor >= steadyMs(limits)) return "quiet";
  // Page time may run faster than real time, so a page that changes forever reaches this limit within a second or two.
  if (sample.wall < limits.maxWaitMs && sample.page < limits.maxWaitMs) return "wait";
  return idle && sample.timers + sample.repeating === 0 && steadyFor >= limits.settleMs ? "quiet" : "capped";
}

/** Why a page that was `capped` had not settled. */
export function unrestOf(state: QuietState, sample: Sample, busyWorkers: number, limits: QuietLimits): Unrest {
  if (sample.pending > busyWorkers) return "still_requesting";
  if (busyWorkers > 0) return "worker_busy";
  if (sample.page - state.changedAt >= steadyMs(limits)) return "timer_pending";
  return state.byMutation ? "still_changing" : "still_requesting";
}

/** One frame at 60 Hz: work that is tied to frames must get a chance in every slice. */
const FRAME_MS = 17;
/** Each takes at least a frame. With the stretch that follows when the page is quiet, a static page takes three. */
const SLICES = 2;
/** A page that only waits for its timers gets longer slices. */
const WAITING_SLICE_MS = 1_000;

/**
 * The browser answers while page time runs, and may be asked many times in a row, so time is handed out often and in
 * small amounts.
 */
const ASKING_SLICE = { page: 10, wall: 3 };

/** How page time is handed out next: `page` ms of it, over at least `wall` ms of real time. */
export function slice(
  state: QuietState,
  sample: Pick<Sample, "page" | "pending" | "timers" | "repeating" | "asked">,
  limits: QuietLimits,
  live: boolean,
): { page: number; wall: number } {
  if (sample.asked > 0) return ASKING_SLICE;
  const steadyFor = sample.page - state.changedAt;
  const page = Math.max(1, Math.ceil(limits.settleMs / SLICES));
  // Sockets, event streams and workers answer in real time: a page with one runs at that speed.
  if (steadyFor < limits.settleMs || sample.pending > 0) return { page, wall: live ? page : Math.min(page, FRAME_MS) };
  const rest = Math.max(page, steadyMs(limits) - steadyFor);
  const waiting = sample.timers + sample.repeating > 0 ? Math.max(page, Math.min(rest, WAITING_SLICE_MS)) : rest;
  return { page: Math.ceil(waiting), wall: FRAME_MS };
}

/** How often a stopped clock is checked. */
const CHECK_MS = 100;
/** After this many tasks without delay, time advances anyway: a page may post messages to itself forever. */
const STARVED_TASKS = 1_000;

/**
 * The page's own clock, which is Chromium's virtual time: it runs only as far as it is given, as fast as the page can
 * work, and stands still while answers are awaited. A timer of two seconds costs nothing, and every run sees the same.
 */
export class PageTime {
  /** Ms given to this page so far. */
  given = 0;
  /** The page did not use its time: it is in a loop. */
  stuck = false;
  readonly #session: CDPSession;
  readonly #pending: () => number;
  #spent = Promise.withResolvers<void>();
  /** A stream or a long poll stops the clock: from now on it continues while nothing else is pending. */
  #held = false;

  constructor(session: CDPSession, pending: () => number) {
    this.#session = session;
    this.#pending = pending;
  }

  /** The page has used its time, or is not expected to do anything more. */
  wake(): void {
    this.#spent.resolve();
  }

  /** Gives `page` ms over at least `wall` ms of real time. False: not spent before the deadline. */
  async give(time: { page: number; wall: number }, deadline: number): Promise<boolean> {
    const pace = within(new Promise<never>(() => {}), time.wall);
    this.#spent = Promise.withResolvers<void>();
    const spent = await this.#spend(time.page, deadline);
    if (!spent) return false;
    this.given += time.page;
    await pace;
    return true;
  }

  async #spend(budget: number, deadline: number): Promise<boolean> {
    let policy = this.#policy();
    while (performance.now() < deadline) {
      const reply = this.#session.send("Emulation.setVirtualTimePolicy", {
        policy,
        budget,
        maxVirtualTimeTaskStarvationCount: STARVED_TASKS,
      });
      if ((await within(reply, deadline - performance.now())) === LATE) {
        this.stuck = true;
        return false;
      }
      do {
        const wait = Math.min(CHECK_MS, deadline - performance.now());
        if ((await within(this.#spent.promise, wait)) !== LATE) return true;
        if (performance.now() >= deadline) return false;
        this.#held ||= this.#pending() === 0;
      } while (this.#policy() === policy);
      policy = this.#policy();
    }
    return false;
  }

  #policy(): Protocol.Emulation.VirtualTimePolicy {
    return this.#held && this.#pending() === 0 ? "advance" : "pauseIfNetworkFetchesPending";
  }
}
