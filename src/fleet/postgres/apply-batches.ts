/** Writes the batches of several partitions with one statement per table, inside a transaction that has checked their leases. */
import { TASK_STATES } from "../../kernel/ledger.ts";
import { ACTIONS } from "../../kernel/task.ts";
import type { PartBatch } from "../part-batch.ts";
import type { Queries } from "./connection.ts";

export interface PartRows {
  part: number;
  batch: PartBatch;
}

/** How many tasks of a partition were opened and closed, and how many of those were fetched and kept. */
export interface PartChange {
  opened: number;
  closed: number;
  settled: number;
}

export const NO_CHANGE: PartChange = { opened: 0, closed: 0, settled: 0 };

const ROWS_OF: Record<string, string> = { int: "int", text: "text", float: "float8", bigint: "bigint" };

/** `unnest($1::int[], …) AS x(part, …)`, and the arrays for it. */
function columns(names: Record<string, keyof typeof ROWS_OF>, rows: readonly (readonly unknown[])[], first = 1) {
  const entries = Object.entries(names);
  const types = entries.map(([, type], at) => `$${first + at}::${ROWS_OF[type]}[]`);
  const from = `unnest(${types.join(", ")}) WITH ORDINALITY AS x(${entries.map(([name]) => name).join(", ")}, nth)`;
  return { from, values: entries.map((_, at) => rows.map((row) => row[at])) };
}

const PLACE = { at: "int", size: "int" };

/**
 * The bytes of all rows as one value, and where each row begins, because PostgreSQL takes ten times as long to read an
 * array of them.
 */
function packed(rows: unknown[][]): { all: Buffer; places: [at: number, size: number | null][] } {
  const pieces = rows.map(([bytes]) => bytes as Uint8Array | null);
  let at = 1;
  const places = pieces.map((bytes): [number, number | null] => {
    const place = at;
    at += bytes?.length ?? 0;
    return [place, bytes?.length ?? null];
  });
  return { all: Buffer.concat(pieces.filter((bytes) => bytes !== null)), places };
}

/** All batches are of different partitions. */
export async function applyBatches(
  queries: Queries,
  schema: string,
  batches: readonly PartRows[],
): Promise<Map<number, PartChange>> {
  const changes = new Map(batches.map(({ part }) => [part, { ...NO_CHANGE }]));
  const rowsOf = <T>(pick: (batch: PartBatch) => readonly T[], row: (part: number, item: T) => unknown[]) =>
    batches.flatMap(({ part, batch }) => pick(batch).map((item) => row(part, item)));
  // Sent one after another, without waiting for the answers in between.
  await Promise.all([
    admit(queries, schema, rowsOf, changes),
    settle(queries, schema, rowsOf, changes),
    retry(queries, schema, rowsOf),
    put(
      queries,
      `${schema}.lanes`,
      "state",
      rowsOf(
        ({ lanes }) => lanes,
        (part, [key, state]) => [part, key, JSON.stringify(state)],
      ),
    ),
    put(
      queries,
      `${schema}.notes`,
      "value",
      rowsOf(
        ({ notes }) => notes,
        (part, [key, value]) => [part, key, value],
      ),
    ),
    send(queries, schema, rowsOf),
    consume(queries, schema, rowsOf),
  ]);
  return changes;
}

type RowsOf = <T>(pick: (batch: PartBatch) => readonly T[], row: (part: number, item: T) => unknown[]) => unknown[][];
type Changes = Map<number, PartChange>;

async function admit(queries: Queries, s: string, rowsOf: RowsOf, changes: Changes): Promise<void> {
  const rows = rowsOf(
    (batch) => batch.admitted,
    (part, { id, key, verdict, lane, place, depth, parent, via, kind, hops }) => {
      const isOpen = verdict.action === "crawl";
      const decided = [ACTIONS.indexOf(verdict.action), verdict.reason, verdict.rule, isOpen ? 0 : null];
      return [part, id, key, ...decided, isOpen ? lane : "", place, depth, parent, via, kind, hops];
    },
  );
  if (rows.length === 0) return;
  const names = { part: "int", id: "int", key: "text", verdict: "int", reason: "text", rule: "text", state: "int" };
  const { from, values } = columns(
    { ...names, lane: "text", place: "int", depth: "int", parent: "bigint", via: "int", kind: "int", hops: "int" },
    rows,
  );
  const opened = await queries.query<{ part: number }>(
    `WITH put AS (
       INSERT INTO ${s}.urls AS u (part, id, key, verdict, reason, rule, state, lane, place, depth, parent, via, kind, hops)
       SELECT part, id, key, verdict, reason, rule, state, lane, place, depth, parent, via, kind, hops FROM ${from} ORDER BY nth
       ON CONFLICT (part, id) DO UPDATE SET verdict = excluded.verdict, reason = excluded.reason, rule = excluded.rule,
         state = excluded.state, lane = excluded.lane, place = excluded.place, depth = excluded.depth,
         parent = excluded.parent, via = excluded.via, kind = excluded.kind, hops = excluded.hops
       WHERE u.state IS NULL
       RETURNING part, id, lane, place, state)
     INSERT INTO ${s}.tasks (part, lane, place, id) SELECT part, lane, place, id FROM put WHERE state = 0 RETURNING part`,
    values,
  );
  for (const { part } of opened) changes.get(part)!.opened++;
}

async function settle(queries: Queries, s: string, rowsOf: RowsOf, changes: Changes): Promise<void> {
  const rows = rowsOf(
    (batch) => batch.settled,
    (part, { id, state, verdict }) => {
      if (verdict === null) return [part, id, TASK_STATES.indexOf(state), null, null, null];
      return [part, id, null, ACTIONS.indexOf(verdict.action), verdict.reason, verdict.rule];
    },
  );
  if (rows.length === 0) return;
  const { all, places } = packed(
    rowsOf(
      ({ settled }) => settled,
      (_, { bytes }) => [bytes],
    ),
  );
  const names = { part: "int", id: "int", state: "int", verdict: "int", reason: "text", rule: "text" };
  const { from, values } = columns(
    { ...names, ...PLACE },
    rows.map((row, at) => [...row, ...places[at]!]),
    2,
  );
  // Only open tasks are settled: a task that was settled before has a record, and must not get a second one.
  const closed = await queries.query<{ part: number; isKept: boolean }>(
    `WITH told AS (
       UPDATE ${s}.urls u SET state = x.state, verdict = coalesce(x.verdict, u.verdict),
         reason = CASE WHEN x.verdict IS NULL THEN u.reason ELSE x.reason END,
         rule = CASE WHEN x.verdict IS NULL THEN u.rule ELSE x.rule END
       FROM ${from} WHERE u.part = x.part AND u.id = x.id AND u.state = ${TASK_STATES.indexOf("open")}
       RETURNING u.part, u.id, u.lane, u.place, x.verdict, x.at, x.size),
     gone AS (
       DELETE FROM ${s}.tasks t USING told WHERE t.part = told.part AND t.lane = told.lane AND t.place = told.place),
     kept AS (
       INSERT INTO ${s}.records (part, id, bytes) SELECT part, id, substr($1::bytea, at, size) FROM told WHERE size IS NOT NULL)
     SELECT part, verdict IS NULL AS "isKept" FROM told`,
    [all, ...values],
  );
  for (const { part, isKept } of closed) {
    const change = changes.get(part)!;
    change.closed++;
    if (isKept) change.settled++;
  }
}

async function retry(queries: Queries, s: string, rowsOf: RowsOf): Promise<void> {
  const retried = rowsOf(
    (batch) => batch.retried,
    (part, { id, attempt, notBefore }) => [part, id, attempt, Math.round(notBefore)],
  );
  if (retried.length === 0) return;
  const { from, values } = columns({ part: "int", id: "int", attempt: "int", not_before: "float" }, retried);
  await queries.query(
    `UPDATE ${s}.tasks t SET attempt = x.attempt, not_before = x.not_before
     FROM ${from} JOIN ${s}.urls u ON u.part = x.part AND u.id = x.id
     WHERE t.part = u.part AND t.lane = u.lane AND t.place = u.place`,
    values,
  );
}

async function put(queries: Queries, table: string, column: string, rows: unknown[][]): Promise<void> {
  if (rows.length === 0) return;
  const { from, values } = columns({ part: "int", key: "text", [column]: "text" }, rows);
  await queries.query(
    `INSERT INTO ${table} (part, key, ${column}) SELECT part, key, ${column} FROM ${from}
     ON CONFLICT (part, key) DO UPDATE SET ${column} = excluded.${column}`,
    values,
  );
}

/** What goes to other partitions. */
async function send(queries: Queries, s: string, rowsOf: RowsOf): Promise<void> {
  const sent = rowsOf(
    (batch) => batch.sent,
    (_, { part }) => [part],
  );
  if (sent.length === 0) return;
  const { all, places } = packed(
    rowsOf(
      (batch) => batch.sent,
      (_, { bytes }) => [bytes],
    ),
  );
  const { from, values } = columns(
    { part: "int", ...PLACE },
    sent.map((row, at) => [...row, ...places[at]!]),
    2,
  );
  await queries.query(`INSERT INTO ${s}.inbox (part, bytes) SELECT part, substr($1::bytea, at, size) FROM ${from}`, [
    all,
    ...values,
  ]);
}

/** What was read from this partition's own inbox. */
async function consume(queries: Queries, s: string, rowsOf: RowsOf): Promise<void> {
  const consumed = rowsOf(
    (batch) => batch.consumed,
    (part, seq) => [part, seq],
  );
  if (consumed.length === 0) return;
  const { from, values } = columns({ part: "int", seq: "bigint" }, consumed);
  await queries.query(`DELETE FROM ${s}.inbox i USING ${from} WHERE i.part = x.part AND i.seq = x.seq`, values);
}
