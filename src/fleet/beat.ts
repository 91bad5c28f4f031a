/**
 * One beat of a worker: in a single statement, it says that the worker lives and learns everything the worker needs to
 * know.
 */
import type { JobState } from "./job.ts";
import type { PartRow } from "./lease.ts";
import type { WorkerBeat } from "./membership.ts";
import type { Queries } from "./postgres/connection.ts";
import type { WorkerReport } from "./worker-report.ts";

export interface OwnState {
  id: string;
  /** The state of the crawl that this worker has carried out. */
  acked: JobState;
  running: number;
  inFlight: number;
  /** Null: as before. */
  report: WorkerReport | null;
}

export interface BeatAnswer {
  /** False when the crawl does not know this worker any more. */
  isKnown: boolean;
  state: JobState;
  /** The database's time in ms. */
  now: number;
  workers: WorkerBeat[];
  parts: PartRow[];
}

type PartTuple = [number, string | null, string, number, number, number, number];

export async function beat(queries: Queries, schema: string, own: OwnState): Promise<BeatAnswer> {
  const [row] = await queries.query<{
    known: boolean;
    state: JobState;
    now: number;
    workers: [string, number][] | null;
    parts: PartTuple[] | null;
  }>(
    `WITH me AS (
       UPDATE ${schema}.workers SET beat = beat + 1, acked = $2, running = $3, in_flight = $4, seen_at = clock_timestamp(),
         report = coalesce($5, report)
       WHERE id = $1 RETURNING id, beat)
     SELECT EXISTS (SELECT 1 FROM me) AS known, state, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
       (SELECT json_agg(json_build_array(w.id, coalesce(me.beat, w.beat))) FROM ${schema}.workers w LEFT JOIN me USING (id)) AS workers,
       (SELECT json_agg(json_build_array(part, owner, token, commits, open, parked, settled) ORDER BY part) FROM ${schema}.parts) AS parts
     FROM ${schema}.job`,
    [own.id, own.acked, own.running, own.inFlight, own.report && JSON.stringify(own.report)],
  );
  const { known, state, now, workers, parts } = row!;
  return {
    isKnown: known,
    state,
    now,
    workers: (workers ?? []).map(([id, number]) => ({ id, beat: number })),
    parts: (parts ?? []).map(([part, owner, token, commits, open, parked, settled]) => {
      return { part, owner, token, commits, open, parked, settled };
    }),
  };
}

/** Beats begin at 0, so that others see the first one change. */
export const enlist = (queries: Queries, schema: string, id: string): Promise<unknown> =>
  queries.query(`INSERT INTO ${schema}.workers (id) VALUES ($1) ON CONFLICT (id) DO NOTHING`, [id]);

/**
 * A worker that others took for dead enlists again when it comes back. If it still owns something, it is replaced
 * first.
 */
export const strike = (queries: Queries, schema: string, ids: readonly string[]): Promise<unknown> =>
  queries.query(
    `DELETE FROM ${schema}.workers w WHERE id = ANY($1::text[]) AND NOT EXISTS (SELECT 1 FROM ${schema}.parts WHERE owner = w.id)`,
    [ids],
  );

export const quit = (queries: Queries, schema: string, id: string): Promise<unknown> =>
  queries.query(`DELETE FROM ${schema}.workers WHERE id = $1`, [id]);
