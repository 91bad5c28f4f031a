/**
 * Group commit: collects changes and passes them to the ledger in strictly ordered batches.
 *
 * A page may be fetched before the commit that admitted it is on disk. Its own settling comes in the same or a later
 * commit, so a crash loses both together, and its parent is fetched again.
 */
import type { Clock } from "./clock.ts";
import type { LaneState } from "./lane.ts";
import type { Batch, Ledger, Note, Retried, Settled } from "./ledger.ts";
import type { Meters } from "./meters.ts";
import type { Admitted } from "./task.ts";

export interface CommitLimits {
  /** A batch is sent when it contains this many settled tasks, */
  settled: number;
  /** or this many admitted ones, */
  admitted: number;
  /** or when its oldest entry is this old. */
  ms: number;
  /** Batches in flight before the crawl waits for the disk. */
  pending: number;
}

const emptyBatch = <Rec>(): Batch<Rec> => ({ admitted: [], settled: [], retried: [], lanes: new Map(), notes: [] });

export class Committer<Rec> {
  #batch = emptyBatch<Rec>();
  #pending = 0;
  #last: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | null = null;
  #room: (() => void)[] = [];
  #failed = false;
  /** The counts, as of the last batch that is durable. */
  #durable: Meters;
  readonly #meters: Meters;
  readonly #ledger: Ledger<Rec>;
  readonly #clock: Clock;
  readonly #limits: CommitLimits;
  readonly #onError: (error: unknown) => void;

  /** `meters` count what is given to this committer. */
  constructor(
    ledger: Ledger<Rec>,
    clock: Clock,
    limits: CommitLimits,
    meters: Meters,
    onError: (error: unknown) => void,
  ) {
    this.#meters = meters;
    this.#durable = meters.copy();
    this.#ledger = ledger;
    this.#clock = clock;
    this.#limits = limits;
    this.#onError = onError;
  }

  /** What the meters say now is in the ledger. */
  recovered(): void {
    this.#durable = this.#meters.copy();
  }

  admit(admitted: Admitted): void {
    if (this.#batch.admitted.push(admitted) >= this.#limits.admitted) this.flush();
    else this.#arm();
  }

  /** A settled task comes with its lane's clock: both become durable together. */
  settle(settled: Settled<Rec>, laneKey: string, lane: LaneState): void {
    this.#batch.lanes.set(laneKey, lane);
    if (this.#batch.settled.push(settled) >= this.#limits.settled) this.flush();
    else this.#arm();
  }

  /** Whether the batch that is being collected settles this task. */
  isSettling(id: number): boolean {
    return this.#batch.settled.some((settled) => settled.id === id);
  }

  retry(retried: Retried, laneKey: string, lane: LaneState): void {
    this.#batch.lanes.set(laneKey, lane);
    this.#batch.retried.push(retried);
    this.#arm();
  }

  note(note: Note): void {
    this.#batch.notes.push({ ...note, admittedBefore: this.#batch.admitted.length });
    this.#arm();
  }

  /** Undefined when there is room; otherwise resolves when the disk has caught up. */
  room(): Promise<void> | undefined {
    if (this.#pending < this.#limits.pending) return undefined;
    return new Promise((resolve) => this.#room.push(resolve));
  }

  /** Makes the meters say what is in the ledger, after a commit that failed. */
  restoreMeters(): void {
    if (this.#failed) this.#meters.restore(this.#durable);
  }

  /** Sends what has been collected; resolves when everything given so far is durable. */
  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    // Batches build on each other: a batch after a failed one could settle tasks that were never admitted.
    if (this.#failed) return this.#last;
    const batch = this.#batch;
    const { admitted, settled, retried, lanes, notes } = batch;
    if (admitted.length + settled.length + retried.length + lanes.size + notes.length === 0) return this.#last;
    this.#batch = emptyBatch();
    this.#pending++;
    const counts = this.#meters.copy();
    const commit = this.#ledger.commit(batch).then(() => {
      this.#durable = counts;
    });
    this.#last = Promise.all([this.#last, commit]).then(() => {});
    const failed = (error: unknown) => {
      this.#failed = true;
      this.#onError(error);
    };
    commit.catch(failed).finally(() => {
      this.#pending--;
      for (const resolve of this.#room.splice(0)) resolve();
    });
    // The error is reported through onError, and to callers of flush().
    this.#last.catch(() => {});
    return this.#last;
  }

  #arm(): void {
    this.#cancelTimer ??= this.#clock.after(this.#limits.ms, () => {
      this.#cancelTimer = null;
      this.flush();
    });
  }
}
