/**
 * Who is alive, who may send, and who should run which partitions, as one worker sees it. It relies only on this
 * machine's monotonic clock, never on another machine's.
 *
 * A worker may send until `sendMs` after it sent the last beat that was answered. Others call it dead when they have
 * not seen its beat change for `deadMs`. The beat was changed after it was sent, so at least `deadMs - sendMs` lie
 * between the last request of the old owner and the first of the new one.
 *
 * A promoted standby may know less than its predecessor: a partition may look free although a worker runs it, even a
 * worker that the standby has never heard of. So after a (re)connect to a server that may be a promoted standby,
 * nothing is taken for `deadMs`, until the leases that the predecessor gave are over. On any server, nothing is taken
 * before every other worker has been heard from twice, or is dead: with its first beat a worker learns what this
 * database says it owns, and by its second it has stopped the rest.
 */
import type { PartRow } from "./lease.ts";

export interface LeaseTimes {
  beatMs: number;
  sendMs: number;
  deadMs: number;
  /** After this long without an answer, earlier observations of others prove nothing. */
  gapMs: number;
}

export const LEASE_TIMES: LeaseTimes = { beatMs: 1_000, sendMs: 10_000, deadMs: 15_000, gapMs: 3_000 };

const ENOUGH_BEATS = 2;

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
  /** How many of the partitions it holds to hand back. */
  surplus: number;
  /**
   * Partitions that belong to it according to the database, but that it has dropped and does not take again. It hands
   * them back, because no other worker would take them.
   */
  strays: PartRow[];
}

export class Membership {
  readonly id: string;
  readonly #clocks: Clocks;
  readonly #times: LeaseTimes;
  #lease: SentBeat | null = null;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #takesFrom = Number.NEGATIVE_INFINITY;
  /** The last beat of each worker, when it was first seen, and how often it has changed since we connected. */
  readonly #seen = new Map<string, { beat: number; at: number; changes: number }>();

  constructor(id: string, clocks: Clocks, times: LeaseTimes = LEASE_TIMES) {
    this.id = id;
    this.#clocks = clocks;
    this.#times = times;
  }

  /** Called right before a beat is sent. */
  beatSent(): SentBeat {
    return { monotonic: this.#clocks.monotonic(), wall: this.#clocks.wall() };
  }

  /** The answers that follow come over a new connection, from a server that may know less than the one before. */
  reconnected(isForgetful: boolean): void {
    this.#seen.clear();
    if (isForgetful) this.#takesFrom = this.#clocks.monotonic() + this.#times.deadMs;
  }

  beatAnswered(sent: SentBeat, workers: readonly WorkerBeat[]): void {
    const now = this.#clocks.monotonic();
    this.#lease = sent;
    // While we got no answer, other workers may have got none either.
    if (now - this.#answeredAt > this.#times.gapMs) this.#seen.clear();
    this.#answeredAt = now;
    for (const { id, beat } of workers) {
      const seen = this.#seen.get(id);
      if (seen === undefined) this.#seen.set(id, { beat, at: now, changes: 0 });
      else if (seen.beat !== beat) {
        seen.beat = beat;
        seen.at = now;
        seen.changes++;
      }
    }
    if (this.#seen.size === workers.length) return;
    const ids = new Set(workers.map(({ id }) => id));
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
  }

  /** Whether a request may be sent now. The lease is over as soon as either clock says so. */
  maySend(): boolean {
    if (this.#lease === null) return false;
    const { monotonic, wall } = this.#lease;
    const { sendMs } = this.#times;
    return this.#clocks.monotonic() - monotonic < sendMs && this.#clocks.wall() - wall < sendMs;
  }

  isDead(id: string): boolean {
    if (id === this.id) return false;
    const seen = this.#seen.get(id);
    // A worker that is not listed any more has left, after it stopped.
    return seen === undefined || this.#clocks.monotonic() - seen.at >= this.#times.deadMs;
  }

  /** Workers that are listed but dead. */
  dead(): string[] {
    return [...this.#seen.keys()].filter((id) => this.isDead(id));
  }

  /**
   * How many workers are not dead, including this one; how many of these come before this one by name; whether all have
   * been heard from often enough.
   */
  #standing(): { alive: number; rank: number; isSettled: boolean } {
    let alive = 1;
    let rank = 0;
    let isSettled = true;
    const deadSince = this.#clocks.monotonic() - this.#times.deadMs;
    for (const [id, { at, changes }] of this.#seen) {
      if (id === this.id || at <= deadSince) continue;
      alive++;
      if (id < this.id) rank++;
      if (changes < ENOUGH_BEATS) isSettled = false;
    }
    return { alive, rank, isSettled };
  }

  /** `held`: the partitions that this worker holds now. */
  plan(parts: readonly PartRow[], held: ReadonlySet<number>): Plan {
    const { alive, rank, isSettled } = this.#standing();
    const share = Math.floor(parts.length / alive) + (rank < parts.length % alive ? 1 : 0);
    if (!isSettled || this.#clocks.monotonic() < this.#takesFrom) {
      return { take: [], surplus: Math.max(0, held.size - share), strays: [] };
    }
    // Each worker begins somewhere else, so that two that join at once do not try for the same partitions.
    const from = Math.floor((rank * parts.length) / alive);
    const take: PartRow[] = [];
    for (let at = 0; at < parts.length && take.length < share - held.size; at++) {
      const part = parts[(from + at) % parts.length]!;
      const { owner } = part;
      const isFree = owner === null || (owner === this.id && !held.has(part.part)) || this.isDead(owner);
      if (isFree) take.push(part);
    }
    const taken = new Set(take);
    const strays = parts.filter((part) => part.owner === this.id && !held.has(part.part) && !taken.has(part));
    return { take, surplus: Math.max(0, held.size - share), strays };
  }
}
