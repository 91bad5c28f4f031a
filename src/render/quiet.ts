/**
 * When a page has gone quiet: no request under way, and a steady DOM for `settleMs` of the page's own time.
 *
 * The page's clock is virtual: it is handed out in slices and stands still between them, so a quiet half second does
 * not cost half a second.
 */
import type { CDPSession, Protocol } from "puppeteer-core";
import { LATE, within } from "./browser-process.ts";

export interface QuietLimits {
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

export interface QuietState {
  mutations: number;
  traffic: number;
  parsed: boolean;
  /** Page time of the last change. */
  changedAt: number;
}

export type QuietVerdict = "wait" | "quiet" | "capped";

export const UNSEEN: QuietState = { mutations: -1, traffic: -1, parsed: false, changedAt: 0 };

export function judge(
  state: QuietState,
  sample: Sample,
  limits: QuietLimits,
): { state: QuietState; verdict: QuietVerdict } {
  const same =
    state.mutations === sample.mutations && state.traffic === sample.traffic && state.parsed === sample.parsed;
  const next: QuietState = {
    mutations: sample.mutations,
    traffic: sample.traffic,
    parsed: sample.parsed,
    changedAt: same ? state.changedAt : sample.page,
  };
  return { state: next, verdict: verdictOn(next, sample, limits) };
}

function verdictOn(state: QuietState, sample: Sample, limits: QuietLimits): QuietVerdict {
  if (sample.parsed && sample.pending === 0 && sample.page - state.changedAt >= limits.settleMs) return "quiet";
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

/**
 * The page's own clock, which is Chromium's virtual time: it runs only as far as it is given, as fast as the page can
 * work, and stands still while answers are awaited. A timer of two seconds costs nothing, and every run sees the same.
 */
/** How often a clock that stands still is looked at. */
const CHECK_MS = 100;
/** Tasks without delay after which time goes on all the same: a page may post messages to itself for ever. */
const STARVED_TASKS = 1_000;

export class PageTime {
  /** Ms given to this page so far. */
  given = 0;
  /** The page did not even take its time: it is in a loop. */
  stuck = false;
  readonly #session: CDPSession;
  readonly #pending: () => number;
  #spent = Promise.withResolvers<void>();
  /** A stream or a long poll holds the clock: from now on it runs on while nothing else is pending. */
  #held = false;

  constructor(session: CDPSession, pending: () => number) {
    this.#session = session;
    this.#pending = pending;
  }

  /** The page has used what it was given, or nothing more is to be expected of it. */
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
