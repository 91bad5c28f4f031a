/**
 * Who is alive, who may send, and who should run which partitions, as one worker sees it. It decides by monotonic time of this
 * machine only: no other machine's clock is believed.
 *
 * A worker may send until `sendMs` after it sent the last beat that was answered. Others call it dead when they have not seen
 * its beat change for `deadMs`. The beat was changed after it was sent, so at least `deadMs - sendMs` lie between the last
 * request of the old owner and the first of the new one.
 */
import type { PartRow } from "./lease.ts";

export interface LeaseTimes {
  beatMs: number;
  sendMs: number;
  deadMs: number;
  /** After this long without an answer, what was seen of others before proves nothing. */
  gapMs: number;
}

export const LEASE_TIMES: LeaseTimes = { beatMs: 1_000, sendMs: 10_000, deadMs: 15_000, gapMs: 3_000 };

export interface Clocks {
  monotonic: () => number;
  wall: () => number;
}

/** When a beat was sent, by both clocks: Linux's monotonic clock stops while a machine is suspended. */
export interface SentBeat {
  monotonic: number;
  wall: number;
}

export interface WorkerBeat {
  id: string;
  beat: number;
}

export interface Plan {
  /** Partitions to take over, in this order. */
  take: PartRow[];
  /** How many to hand back. */
  surplus: number;
}

export class Membership {
  readonly id: string;
  readonly #clocks: Clocks;
  readonly #times: LeaseTimes;
  #lease: SentBeat | null = null;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** The last beat of each worker, and when it was first seen. */
  readonly #seen = new Map<string, { beat: number; at: number }>();

  constructor(id: string, clocks: Clocks, times: LeaseTimes = LEASE_TIMES) {
    this.id = id;
    this.#clocks = clocks;
    this.#times = times;
  }

  /** Called right before a beat is sent. */
  beatSent(): SentBeat {
    return { monotonic: this.#clocks.monotonic(), wall: this.#clocks.wall() };
  }

  beatAnswered(sent: SentBeat, workers: readonly WorkerBeat[]): void {
    const now = this.#clocks.monotonic();
    this.#lease = sent;
    // While nobody answered us, nobody may have answered the others either.
    if (now - this.#answeredAt > this.#times.gapMs) this.#seen.clear();
    this.#answeredAt = now;
    for (const { id, beat } of workers) {
      if (this.#seen.get(id)?.beat !== beat) this.#seen.set(id, { beat, at: now });
    }
    if (this.#seen.size === workers.length) return;
    const ids = new Set(workers.map(({ id }) => id));
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
  }

  /** Whether a request may be sent now. Whichever clock says first that the lease is over is right. */
  maySend(): boolean {
    if (this.#lease === null) return false;
    const { monotonic, wall } = this.#lease;
    const { sendMs } = this.#times;
    return this.#clocks.monotonic() - monotonic < sendMs && this.#clocks.wall() - wall < sendMs;
  }

  isDead(id: string): boolean {
    if (id === this.id) return false;
    const seen = this.#seen.get(id);
    // One that is in no list any more has left, after it stopped.
    return seen === undefined || this.#clocks.monotonic() - seen.at >= this.#times.deadMs;
  }

  /** How many are not dead, ourselves included, and how many of those come before us in the order of their names. */
  #standing(): { alive: number; rank: number } {
    let alive = 1;
    let rank = 0;
    const deadSince = this.#clocks.monotonic() - this.#times.deadMs;
    for (const [id, { at }] of this.#seen) {
      if (id === this.id || at <= deadSince) continue;
      alive++;
      if (id < this.id) rank++;
    }
    return { alive, rank };
  }

  /** `held`: the partitions that this worker has now. */
  plan(parts: readonly PartRow[], held: ReadonlySet<number>): Plan {
    const { alive, rank } = this.#standing();
    const share = Math.floor(parts.length / alive) + (rank < parts.length % alive ? 1 : 0);
    if (held.size > share) return { take: [], surplus: held.size - share };
    // Each begins somewhere else, so that two that join at once do not run after the same partitions.
    const from = Math.floor((rank * parts.length) / alive);
    const take: PartRow[] = [];
    for (let at = 0; at < parts.length && take.length < share - held.size; at++) {
      const part = parts[(from + at) % parts.length]!;
      const { owner } = part;
      const isFree = owner === null || (owner === this.id && !held.has(part.part)) || this.isDead(owner);
      if (isFree) take.push(part);
    }
    return { take, surplus: 0 };
  }
}
