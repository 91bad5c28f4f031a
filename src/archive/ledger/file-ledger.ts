/** The ledger on plain files. */
import type { Batch, Known, Ledger, Recovered } from "../../kernel/ledger.ts";
import { SerialQueue } from "../../kernel/serial-queue.ts";
import type { Task } from "../../kernel/task.ts";
import { type FileLedgerOptions, FileStore } from "./file-store.ts";

export class FileLedger<Rec, Meta> implements Ledger<Rec, Meta> {
  readonly #options: FileLedgerOptions<Rec, Meta>;
  readonly #queue = new SerialQueue();
  #store: FileStore<Rec, Meta> | null = null;

  constructor(options: FileLedgerOptions<Rec, Meta>) {
    this.#options = options;
  }

  async open(onKnown: (known: Known) => void): Promise<Recovered> {
    const { store, recovered } = await FileStore.open(this.#options, onKnown);
    this.#store = store;
    this.#queue.open();
    return recovered;
  }

  commit(batch: Batch<Rec, Meta>): Promise<void> {
    return this.#queue.commit(batch, (own) => this.#store!.commit(own));
  }

  take(lane: string, after: number, max: number): Promise<Task<Meta>[]> {
    return this.#queue.run(() => this.#store!.take(lane, after, max));
  }

  async close(): Promise<void> {
    if (this.#queue.isOpen) await this.#queue.close(() => this.#store!.close(!this.#queue.hasFailed));
  }
}
