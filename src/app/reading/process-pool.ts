/**
 * A few processes that read crawls for this one, so that queries, exports and patterns cannot keep it from answering
 * others.
 *
 * Processes rather than threads: a thread inside SQLite cannot be stopped, but a process can be killed when its time is
 * up, it takes too much memory, or nobody waits for the answer any more. Each does one thing at a time. They start when
 * they are first needed, and end when they have had nothing to do for a while.
 */
import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { TrawlError } from "../../errors.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { type Failure, restoredError } from "./failure.ts";

export interface PoolOptions {
  /** The module that a process runs. */
  module: URL;
  /** Each costs Node 60 MB, and more processes than cores would only wait for each other. */
  size: number;
  /** How many of these may do slow work: exports and SQL. One is always left for screens. */
  slow: number;
  /** How many tasks may wait for a process, and how long. */
  waiting: number;
  waitMs: number;
  /** How long a process without work stays. */
  idleMs: number;
  /** A process that has grown larger is not used again. */
  retireBytes: number;
  clock: Clock;
}

export const POOL_DEFAULTS = {
  size: 4,
  slow: 3,
  waiting: 64,
  waitMs: 20_000,
  // A user who explores a screen does not wait for a new process each time.
  idleMs: 60_000,
  retireBytes: 250_000_000,
  clock: systemClock,
} as const satisfies Omit<PoolOptions, "module">;

export interface Task {
  name: string;
  args: unknown;
  /** It is killed when it takes longer. */
  ms: number;
  isSlow: boolean;
  signal?: AbortSignal;
  /** The error if it is killed for its time or memory. */
  stopped: () => TrawlError;
}

/** What a process sends: its answer, an error, or that bytes follow on its pipe. */
export type Message =
  | { kind: "answer"; answer: unknown; bytes: number; rss: number }
  | { kind: "failure"; failure: Failure; rss: number }
  | { kind: "stream" };

/** When nobody waits any more, a task that ends soon may end, because a new process costs more. */
const LEFT_MS = 250;

/** Time for a process to start. Its own limit begins with the task, and is only needed if we die first. */
const START_MS = 10_000;

export class ProcessPool {
  readonly #options: PoolOptions;
  readonly #processes = new Set<ReadingProcess>();
  readonly #waiting: { isSlow: boolean; go: () => void }[] = [];
  #slow = 0;
  #isClosed = false;

  constructor(options: Pick<PoolOptions, "module"> & Partial<PoolOptions>) {
    this.#options = { ...POOL_DEFAULTS, ...options };
  }

  /** Processes that exist now. */
  get size(): number {
    return this.#processes.size;
  }

  async run(task: Task): Promise<unknown> {
    const process = await this.#take(task);
    try {
      const { message } = await process.run(task, null);
      if (message.kind === "failure") throw restoredError(message.failure);
      return (message as Extract<Message, { kind: "answer" }>).answer;
    } finally {
      this.#giveBack(process, task);
    }
  }

  /** Bytes that a task writes, read as fast as they are taken. Rejects if the task fails before its first byte. */
  async stream(task: Task, onBroken: () => void): Promise<ReadableStream<Uint8Array>> {
    const process = await this.#take(task);
    const opened = Promise.withResolvers<void>();
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const finished = process.run(task, { onStream: opened.resolve, take: (chunk) => put(controller, chunk) });
          void finished
            .then(({ message }) => {
              if (message.kind === "failure") throw restoredError(message.failure);
              controller.close();
            })
            .catch((error: unknown) => {
              if (isCancelled) return;
              // The status may already have been sent, so only a broken connection can show that rows are missing.
              opened.reject(error);
              onBroken();
              controller.error(error);
            })
            .finally(() => this.#giveBack(process, task));
        },
        pull: () => process.resumeBytes(),
        cancel: () => {
          isCancelled = true;
          process.kill();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 1_000_000 }),
    );
    const put = (controller: ReadableStreamDefaultController<Uint8Array>, chunk: Uint8Array) => {
      // Data that was on its way when the client left.
      if (isCancelled) return;
      controller.enqueue(chunk);
      if ((controller.desiredSize ?? 0) <= 0) process.pauseBytes();
    };
    await opened.promise;
    return body;
  }

  /** Ends processes without work, and closes the files they have open. */
  endIdle(): void {
    for (const process of this.#processes) if (process.isIdle) process.kill();
  }

  close(): void {
    this.#isClosed = true;
    for (const process of this.#processes) process.kill();
    for (const { go } of this.#waiting.splice(0)) go();
  }

  /** A process for the task, perhaps after waiting for one. */
  async #take(task: Task): Promise<ReadingProcess> {
    task.signal?.throwIfAborted();
    if (!this.#isFree(task.isSlow)) await this.#wait(task);
    if (this.#isClosed) throw new Error("The app is closing.");
    // Taken before anything is awaited, so that another task does not get the same process.
    const idle = [...this.#processes].find((each) => each.isIdle);
    const process = idle ?? new ReadingProcess(this.#options.module, (ended) => this.#processes.delete(ended));
    this.#processes.add(process);
    process.isIdle = false;
    if (task.isSlow) this.#slow++;
    return process;
  }

  #isFree(isSlow: boolean): boolean {
    const { size, slow } = this.#options;
    if (isSlow && this.#slow >= slow) return false;
    return this.#processes.size < size || [...this.#processes].some((each) => each.isIdle);
  }

  async #wait({ isSlow, signal }: Task): Promise<void> {
    const { waiting, waitMs, clock } = this.#options;
    if (this.#waiting.length >= waiting) throw busy(`${this.#waiting.length} queries are waiting already`);
    const turn = Promise.withResolvers<void>();
    const entry = { isSlow, go: turn.resolve };
    const leave = (reason: unknown) => {
      const at = this.#waiting.indexOf(entry);
      if (at >= 0) this.#waiting.splice(at, 1);
      turn.reject(reason);
    };
    const onAbort = () => leave(signal!.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    const cancel = clock.after(waitMs, () => leave(busy(`the query waited ${waitMs / 1_000} seconds for its turn`)));
    this.#waiting.push(entry);
    try {
      await turn.promise;
    } finally {
      cancel();
      signal?.removeEventListener("abort", onAbort);
    }
  }

  #giveBack(process: ReadingProcess, task: Task): void {
    const { idleMs, retireBytes, clock } = this.#options;
    if (task.isSlow) this.#slow--;
    if (process.hasEnded || process.rss > retireBytes) {
      process.kill();
      this.#processes.delete(process);
    } else process.rest(idleMs, clock);
    const next = this.#waiting.findIndex(({ isSlow }) => this.#isFree(isSlow));
    if (next >= 0) this.#waiting.splice(next, 1)[0]!.go();
  }
}

const busy = (why: string): TrawlError =>
  new TrawlError("SERVER_BUSY", `Too many queries at once: ${why}.`, { retryAfterSeconds: 2 });

interface Bytes {
  onStream: () => void;
  take: (chunk: Uint8Array) => void;
}

/** Where a process writes bytes; see `reading-process.ts`. */
export const BYTES_FD = 4;

class ReadingProcess {
  isIdle = true;
  hasEnded = false;
  /** After its last task. */
  rss = 0;
  readonly #child: Promise<ChildProcess>;
  #kill: (() => void) | null = null;
  #bytes: Readable | null = null;
  #cancelRest: (() => void) | null = null;

  constructor(module: URL, onEnd: (process: ReadingProcess) => void) {
    this.#child = start(module).then((child) => {
      this.#kill = () => child.kill("SIGKILL");
      this.#bytes = child.stdio[BYTES_FD] as Readable;
      child.once("exit", () => {
        this.hasEnded = true;
        this.#cancelRest?.();
        onEnd(this);
      });
      if (this.hasEnded) this.#kill();
      return child;
    });
  }

  /** Resolves with the last message, when all bytes that it announces have been taken. */
  async run({ name, args, ms, signal, stopped }: Task, bytes: Bytes | null): Promise<{ message: Message }> {
    this.#cancelRest?.();
    const child = await this.#child;
    const pipe = this.#bytes!;
    const end = Promise.withResolvers<{ message: Message }>();
    let taken = 0;
    let last: Message | null = null;
    const check = () => {
      if (last !== null && (last.kind !== "answer" || taken >= last.bytes)) end.resolve({ message: last });
    };
    const onMessage = (message: Message) => {
      if (message.kind === "stream") bytes?.onStream();
      else {
        this.rss = message.rss;
        last = message;
        check();
      }
    };
    const onData = (chunk: Uint8Array) => {
      taken += chunk.length;
      bytes?.take(chunk);
      check();
    };
    const onExit = () => end.reject(signal?.aborted ? signal.reason : stopped());
    const kill = () => this.kill();
    // Bytes are taken as fast as the client takes them, so only a task that answers nothing at all is over its time.
    const timer = bytes === null ? setTimeout(kill, ms + START_MS) : null;
    let left: NodeJS.Timeout | null = null;
    const leave = () => {
      left = setTimeout(kill, LEFT_MS);
    };
    signal?.addEventListener("abort", leave, { once: true });
    child.on("message", onMessage).once("exit", onExit);
    pipe.on("data", onData);
    // The task may have been aborted or killed while the process started.
    if (signal?.aborted) kill();
    if (this.hasEnded) onExit();
    else child.send({ name, args, ms: bytes === null ? ms : 0 }, (error) => error === null || kill());
    try {
      return await end.promise;
    } finally {
      if (timer !== null) clearTimeout(timer);
      if (left !== null) clearTimeout(left);
      signal?.removeEventListener("abort", leave);
      child.off("message", onMessage).off("exit", onExit);
      pipe.off("data", onData);
    }
  }

  pauseBytes(): void {
    this.#bytes?.pause();
  }

  resumeBytes(): void {
    this.#bytes?.resume();
  }

  rest(ms: number, clock: Clock): void {
    this.isIdle = true;
    this.#cancelRest = clock.after(ms, () => this.kill());
  }

  kill(): void {
    this.hasEnded = true;
    this.#cancelRest?.();
    this.#kill?.();
  }
}

async function start(module: URL): Promise<ChildProcess> {
  // Loaded here, because commands that read a crawl themselves start sooner without it.
  const { fork } = await import("node:child_process");
  // The process gets no flags and no secrets of ours.
  const { SystemRoot } = process.env;
  return fork(module, [], {
    execArgv: [],
    env: SystemRoot === undefined ? {} : { SystemRoot },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc", "pipe"],
  });
}
