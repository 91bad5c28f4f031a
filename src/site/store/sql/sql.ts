/** Read-only SQL over one crawl's database, for agents and a console: its options, limits and answer. `app/reading` runs it. */
import type { QueryAnswer } from "./guarded-query.ts";

export interface SqlOptions {
  /** Maximum number of rows. */
  rows?: number;
  timeoutMs?: number;
  /** Ends the query when the caller no longer waits for it. */
  signal?: AbortSignal;
}

export interface SqlResult extends QueryAnswer {
  durationMs: number;
}

/** Limits of a query: an answer that a person or an agent can read, within a time that they will wait. */
export const SQL_LIMITS = {
  rows: { default: 200, max: 10_000 },
  timeoutMs: { default: 5_000, max: 30_000 },
  /** Of the answer. */
  bytes: 4_000_000,
} as const;
