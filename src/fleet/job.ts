/** A fleet crawl in the database: its start, its state, and what people see of it. */
import { randomUUID } from "node:crypto";
import { TrawlError } from "../errors.ts";
import { PARTS } from "./partition.ts";
import type { Connection, Queries } from "./postgres/connection.ts";
import { createTables, LIST_JOBS, SCHEMA_VERSION, schemaOf } from "./postgres/schema.ts";

/** running and paused alternate; done (nothing left) and stopped (by a person) are final. */
export type JobState = "running" | "paused" | "stopped" | "done";

export interface Job {
  state: JobState;
  /** The settings of the product, as it writes them. */
  settings: unknown;
  startUrls: string[];
  mode: "site" | "list";
  /** The crawl ends when this many URLs have been fetched; null without a limit. */
  maxSettled: number | null;
  parts: number;
  message: string | null;
  /** The address of the ClickHouse that has its records; null when they are next to its URLs. */
  records: string | null;
  /** When it was started, in ms, and how long it has taken, by the database's clock. */
  startedAt: number;
  durationMs: number;
}

export interface JobStart extends Pick<Job, "settings" | "startUrls" | "mode" | "maxSettled" | "records"> {
  parts?: number;
  /** The first contents of the partitions. */
  inbox: AsyncIterable<StartRow[]>;
}

/** Finds for a partition, packed. */
export interface StartRow {
  part: number;
  bytes: Uint8Array;
}

/** All or nothing: a half-written crawl is never seen. */
export async function createJob(connection: Connection, name: string, start: JobStart): Promise<void> {
  const s = schemaOf(name);
  const { settings, startUrls, mode, maxSettled, records, parts = PARTS } = start;
  try {
    await connection.transaction(async (queries) => {
      for (const statement of createTables(s)) await queries.query(statement);
      await queries.query(
        `INSERT INTO ${s}.job (version, state, settings, start_urls, mode, max_settled, parts, records) VALUES ($1, 'running', $2, $3, $4, $5, $6, $7)`,
        [SCHEMA_VERSION, JSON.stringify(settings), JSON.stringify(startUrls), mode, maxSettled, parts, records],
      );
      const tokens = Array.from({ length: parts }, () => randomUUID());
      await queries.query(
        `INSERT INTO ${s}.parts (part, token) SELECT nth - 1, token FROM unnest($1::uuid[]) WITH ORDINALITY AS x(token, nth)`,
        [tokens],
      );
      for await (const rows of start.inbox) {
        const insert = `INSERT INTO ${s}.inbox (part, bytes) VALUES ($1, $2)`;
        await Promise.all(rows.map(({ part, bytes }) => queries.query(insert, [part, bytes])));
      }
    });
  } catch (error) {
    const isTaken = (error as { code?: string }).code === "42P06";
    throw isTaken ? new TrawlError("FLEET_EXISTS", `There is a fleet crawl named ${name} already.`) : error;
  }
}

export async function readJob(queries: Queries, name: string): Promise<Job> {
  const s = schemaOf(name);
  // Read alone, because other versions have other columns.
  const found = await queries.query<{ version: number }>(`SELECT version FROM ${s}.job`).catch((error) => {
    throw isMissing(error) ? new TrawlError("FLEET_NOT_FOUND", `There is no fleet crawl named ${name}.`) : error;
  });
  const { version } = found[0]!;
  if (version !== SCHEMA_VERSION) throw new TrawlError("FLEET_VERSION", otherVersion(name, version));
  const rows = await queries.query<Omit<Job, "settings" | "startUrls"> & { settings: string; startUrls: string }>(
    `SELECT state, settings, start_urls AS "startUrls", mode, max_settled AS "maxSettled", parts, message, records,
       round(extract(epoch FROM created_at) * 1000)::float8 AS "startedAt",
       round(extract(epoch FROM coalesce(ended_at, clock_timestamp()) - created_at) * 1000)::float8 AS "durationMs"
     FROM ${s}.job`,
  );
  const { settings, startUrls, ...job } = rows[0]!;
  return { ...job, settings: JSON.parse(settings), startUrls: JSON.parse(startUrls) as string[] };
}

const otherVersion = (name: string, version: number): string =>
  `The fleet crawl ${name} was started by ${version > SCHEMA_VERSION ? "a newer" : "an older"} version of Trawl.`;

/** The schema or a table is missing: it was never created, or has been deleted meanwhile. */
export const isMissing = (error: unknown): boolean =>
  ["3F000", "42P01"].includes((error as { code?: string }).code ?? "");

export const listJobs = async (queries: Queries): Promise<string[]> =>
  (await queries.query<{ name: string }>(LIST_JOBS)).map(({ name }) => name);

/** Changes the state if it is one of those given; returns the state it has now. */
export async function changeState(
  queries: Queries,
  name: string,
  from: readonly JobState[],
  to: JobState,
): Promise<JobState> {
  await readJob(queries, name);
  const s = schemaOf(name);
  await queries.query(
    `UPDATE ${s}.job SET state = $1, ended_at = CASE WHEN $1 IN ('stopped', 'done') THEN now() END
     WHERE state = ANY($2::text[])`,
    [to, from],
  );
  return (await readJob(queries, name)).state;
}

/**
 * Ends the crawl if nothing is left, in one statement and therefore on one snapshot: in every committed state,
 * unfinished work is an open task or a row of an inbox.
 */
export const END_IF_DONE = (s: string): string =>
  `UPDATE ${s}.job SET state = 'done', ended_at = now() WHERE state = 'running'
   AND NOT EXISTS (SELECT 1 FROM ${s}.parts WHERE open > parked) AND NOT EXISTS (SELECT 1 FROM ${s}.inbox) RETURNING state`;

export const END_AT_LIMIT = (s: string): string =>
  `UPDATE ${s}.job SET state = 'done', ended_at = now(), message = 'limit' WHERE state = 'running'
   AND max_settled <= (SELECT sum(settled) FROM ${s}.parts) RETURNING state`;

/** Returns where its records are, if not in this database. */
export async function removeJob(connection: Connection, name: string): Promise<string | null> {
  // A crawl of another version can be deleted too.
  const { state, records } = await readJob(connection, name).catch((error) => {
    if ((error as { code?: string }).code !== "FLEET_VERSION") throw error;
    return { state: "running", records: null };
  });
  const s = schemaOf(name);
  const [alive] = await connection.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${s}.workers WHERE seen_at > clock_timestamp() - interval '15 seconds'`,
  );
  if (alive!.n > 0 && (state === "running" || state === "paused")) throw new TrawlError("FLEET_BUSY");
  await connection.query(`DROP SCHEMA ${s} CASCADE`);
  return records;
}
