/**
 * Reads pages in a second thread, once this one has too much to do. A crawl that waits for its servers never starts the
 * thread. Reading is less than half of a crawl's work, so a second thread would mostly wait.
 */
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { type PageReading, readPage } from "../page/extract-page.ts";
import type { PageOptions } from "../page/options.ts";
import { type ReadAnswer, type ReadOrder, unpackReading } from "./reader-protocol.ts";

export interface PageReaderOptions {
  page: PageOptions;
  /** A page in another encoding is cut where it becomes longer than this as UTF-8. */
  mostBytes: number;
  hasThread?: boolean;
  /** The share of time that this thread was busy since the last call. */
  load?: () => number;
  /** The module of the thread; for tests. */
  thread?: URL;
}

/** The load is checked every so many pages, … */
const PAGES_BETWEEN_LOOKS = 8;
/** … and above this load the thread is worth its memory. */
const BUSY = 0.9;

/** A smaller page is read faster than it is sent; a larger one would be in memory twice. */
const SMALL_BYTES = 4 << 10;
const LARGE_BYTES = 256 << 10;
/** What waits for the thread: enough to keep it at work while this one is, too little for it to be what all wait for. */
const WAITING_BYTES = 512 << 10;

interface Waiting {
  body: Buffer;
  contentType: string | null;
  xml: boolean;
  done: (reading: PageReading | Promise<PageReading>) => void;
}

export class PageReader {
  readonly #options: PageReaderOptions;
  readonly #load: () => number;
  #worker: Worker | null = null;
  #mayStart: boolean;
  #pages = 0;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;

  constructor(options: PageReaderOptions) {
    this.#options = options;
    this.#mayStart = options.hasThread ?? availableParallelism() > 1;
    this.#load = options.load ?? eventLoopLoad();
  }

  /** Null when the page is better read here. `xml`: sent as `application/xhtml+xml`. */
  send(body: Buffer, contentType: string | null, xml: boolean): Promise<PageReading> | null {
    if (this.#mayStart && ++this.#pages % PAGES_BETWEEN_LOOKS === 0 && this.#load() > BUSY) this.#start();
    const isFit = body.length >= SMALL_BYTES && body.length <= LARGE_BYTES;
    if (this.#worker === null || !isFit || this.#waitingBytes > WAITING_BYTES) return null;
    // A copy moves there, so that the page is still here if the thread fails. The body's memory may hold more than the
    // page.
    const copy = new Uint8Array(body);
    this.#worker.postMessage({ body: copy, contentType, xml } satisfies ReadOrder, [copy.buffer]);
    this.#waitingBytes += body.length;
    return new Promise((done) => this.#waiting.push({ body, contentType, xml, done }));
  }

  /** Ends the thread. Pages that it has not read are read here. */
  async close(): Promise<void> {
    this.#mayStart = false;
    await this.#worker?.terminate();
  }

  #start(): void {
    this.#mayStart = false;
    const { page, mostBytes } = this.#options;
    // The same file is .ts in a checkout and .js in a published package.
    const thread = this.#options.thread ?? new URL(`./reader-thread${import.meta.url.slice(-3)}`, import.meta.url);
    let worker: Worker;
    try {
      worker = new Worker(thread, {
        workerData: { page, mostBytes },
        // A small young generation: hardly an object is made for a page, and the heap counts in the crawl's memory.
        resourceLimits: { maxYoungGenerationSizeMb: 1 },
      });
    } catch {
      // The system has no room for one more thread.
      return;
    }
    this.#worker = worker;
    worker.on("message", (answer: ReadAnswer) => {
      const { body, xml, done } = this.#waiting.shift()!;
      this.#waitingBytes -= body.length;
      done(unpackReading(body, xml, answer));
    });
    // Without a listener, a failing thread would end the program; `exit` is emitted in any case.
    worker.on("error", () => {});
    worker.on("exit", () => this.#lose());
    // The thread alone does not keep the program running.
    worker.unref();
  }

  /** A thread that has failed is not started again: its pages, and all later ones, are read here. */
  #lose(): void {
    this.#worker = null;
    const { page, mostBytes } = this.#options;
    // What cannot be read here either is that page's failure.
    for (const { body, contentType, xml, done } of this.#waiting.splice(0))
      done(new Promise((read) => read(readPage(body, contentType, { ...page, xml }, mostBytes))));
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
