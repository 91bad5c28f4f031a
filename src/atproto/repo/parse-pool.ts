/** Prepares repos in threads, so that sockets are served in the meantime; small ones directly, which is faster. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { type RepoErrorClass, RepoParseError } from "./parsed-repo.ts";
import { type PreparedRepo, type PrepareOptions, prepareRepo } from "./prepare-repo.ts";

/** Passing a CAR to a thread and back costs 0.2 ms of processor time; up to this size, preparing it takes little more. */
export const IN_THREAD_BYTES = 16_384;

/** Bytes of CARs that may wait for a thread. Beyond this, `room` holds back further fetches. */
const MOST_WAITING_BYTES = 64 * 2 ** 20;

export interface ParsePoolOptions {
  random: () => number;
  /** One for each core unless given. */
  threads?: number;
  /** CARs up to this size are prepared in the calling thread. */
  inThreadBytes?: number;
  /** The module that threads run; tests use others. */
  thread?: URL;
}

interface Task {
  order: Order;
  answer: PromiseWithResolvers<PreparedRepo>;
}

interface Thread {
  worker: Worker;
  task: Task | null;
}

export class ParsePool {
  readonly #random: () => number;
  readonly #most: number;
  readonly #inThreadBytes: number;
  readonly #module: URL;
  readonly #threads = new Set<Thread>();
  #waiting: Task[] = [];
  #waitingBytes = 0;
  #roomWanted: (() => void)[] = [];
  #closed = false;

  constructor(options: ParsePoolOptions) {
    this.#random = options.random;
    this.#most = Math.max(1, options.threads ?? availableParallelism());
    this.#inThreadBytes = options.inThreadBytes ?? IN_THREAD_BYTES;
    // The same file is .ts in a checkout and .js in a published package.
    this.#module = options.thread ?? new URL(`./parse-thread${import.meta.url.slice(-3)}`, import.meta.url);
  }

  /**
   * Takes the CAR over: its memory moves to another thread. Rejects with a `RepoParseError`, also when a thread fails at
   * it. A thread cannot be interrupted; what it makes of a repo that was given up is dropped.
   */
  async prepare(car: Uint8Array, options: PrepareOptions, signal?: AbortSignal): Promise<PreparedRepo> {
    signal?.throwIfAborted();
    if (this.#closed) throw new Error("The pool is closed.");
    if (car.length <= this.#inThreadBytes) return prepareRepo(car, options, this.#random);
    const task: Task = { order: { car, options }, answer: Promise.withResolvers() };
    const abort = () => {
      this.#drop(task);
      task.answer.reject(signal!.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    this.#waiting.push(task);
    this.#waitingBytes += car.length;
    this.#serve();
    try {
      return await task.answer.promise;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Resolves when few CARs wait. Await it before fetching another one, or they accumulate in memory. */
  async room(): Promise<void> {
    while (this.#waitingBytes > MOST_WAITING_BYTES && !this.#closed) {
      await new Promise<void>((resolve) => this.#roomWanted.push(resolve));
    }
  }

  /** Ends the threads. What was not prepared yet is rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    const tasks = [...this.#waiting, ...[...this.#threads].flatMap(({ task }) => task ?? [])];
    for (const task of tasks) task.answer.reject(new Error("The pool was closed."));
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#tellRoom();
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #serve(): void {
    while (this.#waiting.length > 0 && !this.#closed) {
      const thread = this.#idleThread();
      if (thread === null) break;
      const task = this.#waiting.shift()!;
      const { car } = task.order;
      this.#waitingBytes -= car.length;
      thread.task = task;
      // A view into a larger buffer is copied: moving the buffer would also move other data in it.
      const whole = car.buffer instanceof ArrayBuffer && car.byteLength === car.buffer.byteLength;
      thread.worker.postMessage(task.order, whole ? [car.buffer as ArrayBuffer] : []);
    }
    this.#tellRoom();
  }

  #idleThread(): Thread | null {
    for (const thread of this.#threads) if (thread.task === null) return thread;
    return this.#threads.size < this.#most ? this.#startThread() : null;
  }

  #startThread(): Thread {
    // A small young generation: hardly any objects are created per repo, and the heap is part of the crawl's memory.
    const worker = new Worker(this.#module, { resourceLimits: { maxYoungGenerationSizeMb: 4 } });
    const thread: Thread = { worker, task: null };
    this.#threads.add(thread);
    worker.on("message", (reply: Reply) => {
      const { answer } = thread.task!;
      thread.task = null;
      if ("repo" in reply) answer.resolve(reply.repo);
      else answer.reject(new RepoParseError(reply.error.class, reply.error.reason));
      this.#serve();
    });
    worker.on("error", (error) => this.#lose(thread, String(error)));
    worker.on("exit", (code) => this.#lose(thread, `exit code ${code}`));
    return thread;
  }

  /** Another is started for the next task. */
  #lose(thread: Thread, why: string): void {
    this.#threads.delete(thread);
    thread.task?.answer.reject(new RepoParseError("parse_error", `The thread that read the repo ended: ${why}.`));
    thread.task = null;
    this.#serve();
  }

  #drop(task: Task): void {
    const place = this.#waiting.indexOf(task);
    if (place < 0) return;
    this.#waiting.splice(place, 1);
    this.#waitingBytes -= task.order.car.length;
    this.#tellRoom();
  }

  #tellRoom(): void {
    if (this.#waitingBytes > MOST_WAITING_BYTES && !this.#closed) return;
    const wanted = this.#roomWanted;
    this.#roomWanted = [];
    for (const resolve of wanted) resolve();
  }
}

/** The messages between the pool and its threads. */
export interface Order {
  car: Uint8Array;
  options: PrepareOptions;
}

export type Reply = { repo: PreparedRepo } | { error: { class: RepoErrorClass; reason: string } };
