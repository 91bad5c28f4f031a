/**
 * Read-only SQL over one crawl's database, for agents and a console.
 *
 * It runs in a separate process: a thread inside SQLite cannot be stopped, but a process can be killed.
 */
import { existsSync } from "node:fs";
import { TrawlError } from "../../errors.ts";
import type { QueryAnswer, QueryLimits } from "./guarded-query.ts";

export interface SqlOptions {
  /** Maximum number of rows. */
  rows?: number;
  timeoutMs?: number;
  /** Ends the query when the caller no longer waits for it. */
  signal?: AbortSignal;
}

export interface SqlResult extends QueryAnswer {
  ms: number;
}

/** Limits of a query: an answer that a person or an agent can read, in a time that they are willing to wait. */
export const SQL_LIMITS = {
  rows: { default: 200, max: 10_000 },
  timeoutMs: { default: 5_000, max: 30_000 },
  /** Of the answer. */
  bytes: 4_000_000,
  /** Of the process; Node alone takes 60 MB. */
  memory: 512_000_000,
} as const;

/** The input of the process. */
export interface SqlTask {
  path: string;
  sql: string;
  limits: QueryLimits;
  ms: number;
  memory: number;
}

export type SqlAnswer = QueryAnswer | { refused: string };

/** Time for the process to start; its own time limit begins with the query, and is only needed if we die first. */
const START_MS = 5_000;

export async function runSql(path: string, sql: string, options: SqlOptions = {}): Promise<SqlResult> {
  if (!existsSync(path)) throw new TrawlError("CRAWL_NOT_FOUND", `The database of this crawl is missing: ${path}`);
  const { rows, timeoutMs, bytes, memory } = SQL_LIMITS;
  const ms = clamp(options.timeoutMs ?? timeoutMs.default, timeoutMs.max);
  const limits = { rows: clamp(options.rows ?? rows.default, rows.max), bytes };
  const started = performance.now();
  const answer = await ask({ path, sql, limits, ms, memory }, options.signal);
  if ("refused" in answer) throw new TrawlError("BAD_SQL", answer.refused);
  return { ...answer, ms: Math.round(performance.now() - started) };
}

const clamp = (value: number, max: number): number => Math.min(Math.max(1, Math.trunc(value) || 1), max);

async function ask(task: SqlTask, signal: AbortSignal | undefined): Promise<SqlAnswer> {
  // Loaded here: commands that read a crawl without SQL start sooner without it.
  const { fork } = await import("node:child_process");
  const { promise, resolve, reject } = Promise.withResolvers<SqlAnswer>();
  signal?.throwIfAborted();
  // .ts in a checkout, .js in a published package. It gets no flags and no secrets of ours.
  const module = new URL(`./sql-process${import.meta.url.slice(-3)}`, import.meta.url);
  const { SystemRoot } = process.env;
  const child = fork(module, [], {
    execArgv: [],
    env: SystemRoot === undefined ? {} : { SystemRoot },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const kill = () => child.kill("SIGKILL");
  const timer = setTimeout(kill, task.ms + START_MS);
  signal?.addEventListener("abort", kill, { once: true });
  child.once("message", (answer) => resolve(answer as SqlAnswer));
  child.once("error", reject);
  child.once("exit", () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", kill);
    // After an answer, this has no effect.
    reject(signal?.aborted ? signal.reason : stopped(task));
  });
  child.send(task);
  return promise;
}

const stopped = ({ ms, memory }: SqlTask): TrawlError =>
  new TrawlError(
    "SQL_STOPPED",
    `The query was stopped: it took longer than ${ms / 1000} seconds, or more than ${memory / 1e6} MB of memory.`,
  );
