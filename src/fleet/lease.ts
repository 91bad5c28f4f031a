/** Who may write to a partition: the holder of its token. Taking one over is a compare-and-set to a new token. */
import { randomUUID } from "node:crypto";
import type { Queries } from "./postgres/connection.ts";

export interface Lease {
  part: number;
  token: string;
  /** Commits made to the partition so far; the next one is numbered with this. */
  commits: number;
  /** Somebody had it before, who may have asked hosts that are stored nowhere yet. */
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

/** Takes a partition whose token is still the one that was seen; null when somebody else was faster. */
export async function takeLease(
  queries: Queries,
  schema: string,
  { part, token }: Pick<PartRow, "part" | "token">,
  owner: string,
): Promise<Lease | null> {
  const mine = randomUUID();
  // Whoever comes next tries hosts again that were given up.
  const [row] = await queries.query<{ commits: number; taken: number }>(
    `UPDATE ${schema}.parts SET owner = $1, token = $2, parked = 0, taken = taken + 1 WHERE part = $3 AND token = $4
     RETURNING commits::float8 AS commits, taken`,
    [owner, mine, part, token],
  );
  if (row === undefined) return null;
  return { part, token: mine, commits: row.commits, isTakenOver: row.taken > 1 };
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
