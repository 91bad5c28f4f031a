/**
 * Who may write to a partition: the holder of its token. Taking a partition over is a compare-and-set to a new token.
 */
import { randomUUID } from "node:crypto";
import type { Queries } from "./postgres/connection.ts";

export interface Lease {
  part: number;
  token: string;
  /** Commits made to the partition so far; the next one is numbered with this. */
  commits: number;
  /** An earlier holder may have sent requests to hosts that are not stored yet. */
  isTakenOver: boolean;
}

/** What the database says about a partition. */
export interface PartRow {
  part: number;
  owner: string | null;
  token: string;
  commits: number;
  open: number;
  parked: number;
  settled: number;
}

export const PART_COLUMNS = "part, owner, token, commits::float8 AS commits, open, parked, settled";

/**
 * Takes the partitions whose tokens have not changed since they were seen; a missing one has been taken by another
 * worker, or is being written. One statement for any number of partitions: where each commit waits long for the disk, a
 * worker that took its share one by one would miss its beats, lose the share, and begin again.
 */
export async function takeLeases(
  queries: Queries,
  schema: string,
  seen: readonly Pick<PartRow, "part" | "token">[],
  owner: string,
): Promise<Lease[]> {
  if (seen.length === 0) return [];
  // The next holder tries hosts again that were given up.
  const rows = await queries.query<{ part: number; token: string; commits: number; taken: number }>(
    `WITH free AS (
       SELECT p.part, x.fresh FROM ${schema}.parts p
       JOIN unnest($2::int[], $3::uuid[], $4::uuid[]) AS x(part, token, fresh) ON p.part = x.part AND p.token = x.token
       FOR UPDATE OF p SKIP LOCKED)
     UPDATE ${schema}.parts p SET owner = $1, token = free.fresh, parked = 0, taken = taken + 1 FROM free WHERE p.part = free.part
     RETURNING p.part, p.token, commits::float8 AS commits, taken`,
    [owner, seen.map(({ part }) => part), seen.map(({ token }) => token), seen.map(() => randomUUID())],
  );
  return rows.map(({ taken, ...lease }) => ({ ...lease, isTakenOver: taken > 1 }));
}

/** Hands partitions back, so that another worker can take them at once. */
export async function releaseLeases(
  queries: Queries,
  schema: string,
  leases: readonly Pick<Lease, "part" | "token">[],
): Promise<void> {
  if (leases.length === 0) return;
  await queries.query(
    `UPDATE ${schema}.parts p SET owner = NULL, token = x.fresh
     FROM unnest($1::int[], $2::uuid[], $3::uuid[]) AS x(part, token, fresh)
     WHERE p.part = x.part AND p.token = x.token`,
    [leases.map(({ part }) => part), leases.map(({ token }) => token), leases.map(() => randomUUID())],
  );
}
