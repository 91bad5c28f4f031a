/**
 * Reads pages: here, and in other threads once this one has too much to do. A crawl that waits for its servers never
 * starts one; one that could read pages all the time shares them with as many threads as there are processors.
 */
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { type PageReading, readPage } from "./extract-page.ts";
import type { PageOptions } from "./options.ts";
import { type ReadAnswer, type ReadOrder, unpackReading } from "./reader-protocol.ts";

export interface PageReaderOptions {
  page: PageOptions;
  /** At most so many threads beside this one. */
  threads?: number;
  /** The share of its time that this thread was at work since the last call. */
  load?: () => number;
  /** The module of a thread; for tests. */
  thread?: URL;
}

/** The load is looked at every so many pages, */
const PAGES_BETWEEN_LOOKS = 8;
/** and above this a thread more is worth its memory. */
const BUSY = 0.9;
/** Beside this thread and the one that stores; more would wait for these two. */
const MOST_THREADS = 4;

/** A page is sooner read than sent. */
const SMALL_BYTES = 4 << 10;
/** What waits for a thread: enough to keep it at work while this one is, too little for it to be what all wait for. */
const WAITING_BYTES = 4 << 20;

interface Reader {
  worker: Worker;
  waiting: Waiting[];
  waitingBytes: number;
}

interface Waiting {
  body: Buffer;
  contentType: string | null;
  done: (reading: PageReading) => void;
}

export class PageReaders {
  readonly #page: PageOptions;
  readonly #load: () => number;
  readonly #module: URL;
  readonly #readers = new Set<Reader>();
  #most: number;
  #pages = 0;

  constructor({ page, threads, load, thread }: PageReaderOptions) {
    this.#page = page;
    this.#most = threads ?? Math.min(MOST_THREADS, availableParallelism() - 1);
    this.#load = load ?? eventLoopLoad();
    // The same file is .ts in a checkout and .js in a published package.
    this.#module = thread ?? new URL(`./reader-thread${import.meta.url.slice(-3)}`, import.meta.url);
  }

  read(body: Buffer, contentType: string | null): PageReading | Promise<PageReading> {
    if (++this.#pages % PAGES_BETWEEN_LOOKS === 0 && this.#readers.size < this.#most && this.#load() > BUSY) {
      this.#start();
    }
    const reader = body.length < SMALL_BYTES ? null : this.#leastBusy();
    return reader === null ? readPage(body, contentType, this.#page) : this.#send(reader, body, contentType);
  }

  /** Ends the threads; pages they have not read are read here. */
  async close(): Promise<void> {
    this.#most = 0;
    await Promise.all([...this.#readers].map(({ worker }) => worker.terminate()));
  }

  #leastBusy(): Reader | null {
    let least: Reader | null = null;
    for (const reader of this.#readers) if (least === null || reader.waitingBytes < least.waitingBytes) least = reader;
    return least === null || least.waitingBytes > WAITING_BYTES ? null : least;
  }

  #send(reader: Reader, body: Buffer, contentType: string | null): Promise<PageReading> {
    // A copy moves there, so that the page is still here should the thread fail; the body's memory may hold more than it.
    const copy = new Uint8Array(body);
    reader.worker.postMessage({ body: copy, contentType } satisfies ReadOrder, [copy.buffer]);
    reader.waitingBytes += body.length;
    return new Promise((done) => reader.waiting.push({ body, contentType, done }));
  }

  #start(): void {
    // A small young generation: hardly an object is made for a page, and the heap counts in the crawl's memory.
    const worker = new Worker(this.#module, {
      workerData: this.#page,
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    const reader: Reader = { worker, waiting: [], waitingBytes: 0 };
    this.#readers.add(reader);
    worker.on("message", (answer: ReadAnswer) => {
      const { body, done } = reader.waiting.shift()!;
      reader.waitingBytes -= body.length;
      done(unpackReading(body, answer));
    });
    // Without a listener a failing thread would end the program; `exit` comes in any case.
    worker.on("error", () => {});
    worker.on("exit", () => this.#lose(reader));
    // It alone is no reason to go on.
    worker.unref();
  }

  /** A thread that failed once is not tried again: its pages are read here, and all later ones. */
  #lose(reader: Reader): void {
    this.#readers.delete(reader);
    this.#most = 0;
    for (const { body, contentType, done } of reader.waiting) done(readPage(body, contentType, this.#page));
  }
}

function eventLoopLoad(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
