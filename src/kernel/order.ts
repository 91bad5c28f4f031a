/**
 * Applies outcomes in the order their tasks were sent, so that parallelism cannot change what a crawl finds.
 *
 * Tasks are sent in the order they were admitted. If their finds are also admitted in that order, then every id, depth, cap and
 * verdict comes out the same with one request in flight or fifty. A task that takes longer than the patience while outcomes wait
 * behind it loses its place: its outcome is applied when it arrives.
 */
import type { Clock } from "./clock.ts";

export interface OrderOptions {
  clock: Clock;
  /** How long outcomes wait for an earlier one, in ms; asked whenever one has to. */
  patienceMs: () => number;
  /** Called when it is time to look again. */
  wake: () => void;
}

interface Place<T> {
  since: number;
  outcome: T | null;
  /** Given up without an outcome, or no longer waited for. */
  gone: boolean;
}

export type Ticket<T> = Place<T>;

export class Order<T> {
  #places: Place<T>[] = [];
  #head = 0;
  #arrived = 0;
  #late: T[] = [];
  readonly #clock: Clock;
  readonly #patienceMs: () => number;
  readonly #wake: () => void;
  #cancelTimer: (() => void) | null = null;
  #timerAt = 0;

  constructor({ clock, patienceMs, wake }: OrderOptions) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#wake = wake;
  }

  /** Places taken and not yet applied. */
  get waiting(): number {
    return this.#places.length - this.#head + this.#late.length;
  }

  /** Outcomes that arrived and are not yet applied. */
  get arrived(): number {
    return this.#arrived;
  }

  enter(): Ticket<T> {
    const place: Place<T> = { since: this.#clock.now(), outcome: null, gone: false };
    this.#places.push(place);
    return place;
  }

  /** A place before all others, for a task whose turn it was. */
  enterFirst(): Ticket<T> {
    const place: Place<T> = { since: this.#clock.now(), outcome: null, gone: false };
    this.#places.splice(this.#head, 0, place);
    return place;
  }

  /** The task is sent again, and its turn is where it was. */
  enterAgain(ticket: Ticket<T>): Ticket<T> {
    ticket.since = this.#clock.now();
    return ticket;
  }

  arrive(ticket: Ticket<T>, outcome: T): void {
    this.#arrived++;
    if (ticket.gone) this.#late.push(outcome);
    else ticket.outcome = outcome;
  }

  /** An outcome without a place: it is applied next. */
  arriveLate(outcome: T): void {
    this.#arrived++;
    this.#late.push(outcome);
  }

  /** The task will not have an outcome now: those behind it need not wait. */
  leave(ticket: Ticket<T>): void {
    ticket.gone = true;
  }

  /** The next outcome to apply, or null when the one whose turn it is has not arrived. */
  next(): T | null {
    const outcome = this.#take();
    if (outcome !== null) this.#arrived--;
    return outcome;
  }

  #take(): T | null {
    if (this.#late.length > 0) return this.#late.shift()!;
    for (;;) {
      const place = this.#places[this.#head];
      if (place === undefined) return null;
      if (!place.gone && place.outcome === null) {
        // Nothing waits behind it.
        if (this.#arrived === 0) return null;
        const until = place.since + this.#patienceMs();
        if (until > this.#clock.now()) {
          this.#watch(until);
          return null;
        }
        place.gone = true;
      }
      this.#forget();
      if (place.outcome !== null) return place.outcome;
    }
  }

  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  #forget(): void {
    this.#head++;
    if (this.#head > 256 || this.#head === this.#places.length) {
      this.#places.splice(0, this.#head);
      this.#head = 0;
    }
  }

  #watch(until: number): void {
    if (this.#cancelTimer !== null && this.#timerAt <= until) return;
    this.close();
    this.#timerAt = until;
    this.#cancelTimer = this.#clock.after(Math.max(until - this.#clock.now(), 1), () => {
      this.#cancelTimer = null;
      this.#wake();
    });
  }
}
