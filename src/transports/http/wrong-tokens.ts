/**
 * Slows down guessing: after a few wrong tokens, each additional one from the same client is answered later than the
 * one before. Right tokens never wait, and neither does anything else.
 */
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";

/** Typing errors are answered at once. */
const FREE = 3;
const FIRST_DELAY_MS = 250;
/** The time between two answers, and the longest that one answer waits. */
const MAX_DELAY_MS = 8_000;
const MAX_WAIT_MS = 30_000;
/** A client that was quiet for this long starts over. */
const FORGET_MS = 10 * 60_000;
/** Waiting answers of all clients: each keeps its request in memory. */
const MAX_WAITING = 200;
/** Clients that are remembered; the oldest is forgotten. */
const MAX_CLIENTS = 10_000;

interface Guesser {
  wrong: number;
  /** When its latest answer is or was sent. */
  answeredAt: number;
}

export class WrongTokens {
  readonly #clock: Clock;
  readonly #guessers = new Map<string, Guesser>();
  #waiting = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a wrong token, and resolves when it may be answered. Throws if too many others wait. */
  async answer(client: string): Promise<void> {
    const now = this.#clock.now();
    const guesser = this.#guesser(client, now);
    guesser.wrong++;
    const delay = guesser.wrong <= FREE ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (guesser.wrong - FREE - 1));
    // One after the other: simultaneous guesses are not answered simultaneously.
    guesser.answeredAt = Math.min(now + MAX_WAIT_MS, Math.max(now, guesser.answeredAt) + delay);
    const wait = guesser.answeredAt - now;
    if (wait === 0) return;
    if (this.#waiting >= MAX_WAITING) {
      const retryAfterSeconds = Math.ceil(wait / 1_000);
      throw new TrawlError("TOO_MANY_REQUESTS", "Too many wrong tokens were sent.", { retryAfterSeconds });
    }
    this.#waiting++;
    await new Promise<void>((resolve) => void this.#clock.after(wait, resolve));
    this.#waiting--;
  }

  #guesser(client: string, now: number): Guesser {
    const known = this.#guessers.get(client);
    if (known !== undefined && now - known.answeredAt < FORGET_MS) return known;
    this.#guessers.delete(client);
    const fresh = { wrong: 0, answeredAt: now };
    this.#guessers.set(client, fresh);
    if (this.#guessers.size > MAX_CLIENTS) this.#guessers.delete(this.#guessers.keys().next().value!);
    return fresh;
  }
}
