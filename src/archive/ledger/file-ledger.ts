/** The ledger on plain files: does what it is asked in the order it was asked, and nothing after a commit that failed. */
import { TrawlError } from "../../errors.ts";
import type { Batch, Known, Ledger, Recovered } from "../../kernel/ledger.ts";
import type { Task } from "../../kernel/task.ts";
import { type FileLedgerOptions, FileStore } from "./file-store.ts";

export class FileLedger<Rec> implements Ledger<Rec> {
  readonly #options: FileLedgerOptions<Rec>;
  #store: FileStore<Rec> | null = null;
  /** Resolves when all that was asked so far is done. */
  #line: Promise<unknown> = Promise.resolve();
  #failure: { error: unknown } | null = null;
  #isClosed = false;

  constructor(options: FileLedgerOptions<Rec>) {
    this.#options = options;
  }

  async open(onKnown: (known: Known) => void): Promise<Recovered> {
    const { store, recovered } = await FileStore.open(this.#options, onKnown);
    this.#store = store;
    return recovered;
  }

  commit(batch: Batch<Rec>): Promise<void> {
    // Our own copy: the caller may go on using the batch while those before it are written.
    const { admitted, settled, retried, lanes, notes } = batch;
    const own = {
      admitted: [...admitted],
      settled: [...settled],
      retried: [...retried],
      lanes: new Map(lanes),
      notes: [...notes],
    };
    return this.#inLine(async (store) => {
      // Batches build on each other: one after a failed one could settle what was never admitted.
      if (this.#failure !== null) throw this.#failure.error;
      try {
        await store.commit(own);
      } catch (error) {
        this.#failure = { error };
        throw error;
      }
    });
  }

  take(lane: string, after: number, max: number): Promise<Task[]> {
    return this.#inLine((store) => store.take(lane, after, max));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    const closed = this.#store === null ? null : this.#inLine((store) => store.close(this.#failure === null));
    this.#isClosed = true;
    await closed;
  }

  #inLine<T>(work: (store: FileStore<Rec>) => Promise<T>): Promise<T> {
    const store = this.#store;
    if (store === null || this.#isClosed)
      return Promise.reject(new TrawlError("STORE_FAILED", "The ledger is not open."));
    const done = this.#line.then(() => work(store));
    this.#line = done.catch(() => {});
    return done;
  }
}
