/** The order of work in a ledger over something slow: one piece at a time, as asked, and no commit after one that failed. */
import { TrawlError } from "../errors.ts";
import type { Batch } from "./ledger.ts";

export class SerialQueue {
  /** Resolves when everything asked so far is done. */
  #last: Promise<unknown> = Promise.resolve();
  #failure: { error: unknown } | null = null;
  #isOpen = false;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get hasFailed(): boolean {
    return this.#failure !== null;
  }

  open(): void {
    this.#isOpen = true;
  }

  run<T>(work: () => Promise<T> | T): Promise<T> {
    if (!this.#isOpen) return Promise.reject(new TrawlError("STORE_FAILED", "The ledger is not open."));
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Batches build on each other: one after a failed one could settle what was never admitted. */
  commit<Rec, Meta>(batch: Batch<Rec, Meta>, write: (batch: Batch<Rec, Meta>) => Promise<void>): Promise<void> {
    // A copy: the caller may go on using the batch while those before it are written.
    const { admitted, settled, retried, lanes, notes } = batch;
    const own: Batch<Rec, Meta> = {
      admitted: [...admitted],
      settled: [...settled],
      retried: [...retried],
      lanes: new Map(lanes),
      notes: [...notes],
    };
    return this.run(async () => {
      if (this.#failure !== null) throw this.#failure.error;
      try {
        await write(own);
      } catch (error) {
        this.#failure = { error };
        throw error;
      }
    });
  }

  /** The last piece of work; nothing is taken after it. */
  close(work: () => Promise<void>): Promise<void> {
    const closed = this.run(work);
    this.#isOpen = false;
    return closed;
  }
}
