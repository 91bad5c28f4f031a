/**
 * The page's own clock, which is Chromium's virtual time: it runs only as far as it is given, as fast as the page can
 * work, and stands still while answers are awaited. A timer of two seconds costs nothing, and every run sees the same.
 */
import type { CDPSession, Protocol } from "puppeteer-core";
import { LATE, within } from "./within.ts";

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
