/** The ledger in one SQLite file, written by its own thread so that the disk never holds up the sockets. */
import { Worker } from "node:worker_threads";
import { ERRORS, type ErrorCode, TrawlError } from "../../errors.ts";
import type { Batch, Known, Ledger, MetaCodec, Recovered } from "../ledger.ts";
import type { Task } from "../task.ts";
import { packAdmitted } from "./pack.ts";
import type { TaskRow } from "./store.ts";
import type { Answer, Question, StoreThreadData } from "./store-thread.ts";

type Ask = Question extends infer Each ? (Each extends { id: number } ? Omit<Each, "id"> : never) : never;

export class SqliteLedger<Rec, Meta> implements Ledger<Rec, Meta> {
  readonly #codec: MetaCodec<Meta>;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #asked = 0;
  #onKnown: ((known: Known) => void) | null = null;
  /** Set once the thread has ended: a message to it would never be answered. */
  #gone: Error | null = null;

  /** `recordModule`: the URL of the module whose default export stores the records; null when there are no records. */
  constructor(path: string, recordModule: string | null, codec: MetaCodec<Meta>) {
    this.#codec = codec;
    // The same file is .ts in a checkout and .js in a published package.
    const thread = new URL(`./store-thread${import.meta.url.slice(-3)}`, import.meta.url);
    // A small young generation: the thread's garbage is short-lived, and its heap is part of the crawl's memory.
    this.#worker = new Worker(thread, {
      workerData: { path, recordModule } satisfies StoreThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    this.#worker.on("message", (answer: Answer) => this.#hear(answer));
    this.#worker.on("error", (error) => this.#failAll(new TrawlError("STORE_FAILED", undefined, { cause: error })));
    this.#worker.on("exit", () => this.#failAll(new TrawlError("STORE_FAILED")));
  }

  async open(onKnown: (known: Known) => void): Promise<Recovered> {
    this.#onKnown = onKnown;
    const recovered = (await this.#ask({ ask: "open" })) as Recovered;
    this.#onKnown = null;
    return recovered;
  }

  async commit(batch: Batch<Rec, Meta>): Promise<void> {
    const { settled, retried, notes } = batch;
    const admitted = packAdmitted(batch.admitted, this.#codec);
    const packed = { admitted, settled, retried, lanes: [...batch.lanes], notes };
    await this.#ask({ ask: "commit", batch: packed }, [admitted.numbers.buffer as ArrayBuffer]);
  }

  async take(lane: string, after: number, max: number): Promise<Task<Meta>[]> {
    const rows = (await this.#ask({ ask: "take", lane, after, max })) as TaskRow[];
    return rows.map(({ via, kind, ...task }) => ({ ...task, meta: this.#codec.metaOf(via, kind) }));
  }

  async close(): Promise<void> {
    if (this.#gone !== null) return;
    const exited = new Promise((resolve) => this.#worker.once("exit", resolve));
    await this.#ask({ ask: "close" });
    await exited;
  }

  #ask(question: Ask, transfer: ArrayBuffer[] = []): Promise<unknown> {
    if (this.#gone !== null) return Promise.reject(this.#gone);
    const id = ++this.#asked;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#worker.postMessage({ ...question, id }, transfer);
    return waiting.promise;
  }

  #hear(answer: Answer): void {
    if ("known" in answer) {
      for (const known of answer.known) this.#onKnown!(known);
      return;
    }
    const waiting = this.#waiting.get(answer.to)!;
    this.#waiting.delete(answer.to);
    if ("error" in answer) waiting.reject(storeError(answer.error));
    else waiting.resolve(answer.value);
  }

  #failAll(error: Error): void {
    this.#gone ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

/** An error loses its class between threads; a code from our error table restores it. */
function storeError({ message, code }: { message: string; code: string | null }): TrawlError {
  return code !== null && code in ERRORS
    ? new TrawlError(code as ErrorCode, message)
    : new TrawlError("STORE_FAILED", `The crawl database could not be written: ${message}.`);
}
