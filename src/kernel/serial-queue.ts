/** Runs the work of a slow ledger one piece at a time, in the order requested, and no commit after one that failed. */
import { TrawlError } from "../errors.ts";
import type { Batch } from "./ledger.ts";

export class SerialQueue {
  /** Resolves when everything requested so far is done. */
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

  /** Batches build on each other: a batch after a failed one could settle tasks that were never admitted. */
  commit<Rec, Meta>(batch: Batch<Rec, Meta>, write: (batch: Batch<Rec, Meta>) => Promise<void>): Promise<void> {
    // A copy: the caller may change the batch while earlier ones are being written.
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

  /** The last piece of work; none is accepted afterwards. */
  close(work: () => Promise<void>): Promise<void> {
    const closed = this.run(work);
    this.#isOpen = false;
    return closed;
  }
}
