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

const ROWS_OF: Record<string, string> = { int: "int", text: "text", float: "float8", bytes: "bytea", bigint: "bigint" };

/** `unnest($1::int[], …) AS x(part, …)`, and the arrays for it. */
function columns(names: Record<string, keyof typeof ROWS_OF>, rows: readonly (readonly unknown[])[], first = 1) {
  const entries = Object.entries(names);
  const types = entries.map(([, type], at) => `$${first + at}::${ROWS_OF[type]}[]`);
  const from = `unnest(${types.join(", ")}) WITH ORDINALITY AS x(${entries.map(([name]) => name).join(", ")}, nth)`;
  return { from, values: entries.map((_, at) => rows.map((row) => row[at])) };
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
  await admit(queries, schema, rowsOf, changes);
  await settle(queries, schema, rowsOf, changes);
  await update(queries, schema, rowsOf);
  await exchange(queries, schema, rowsOf);
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
    (part, { id, state, verdict, bytes }) => {
      if (verdict === null) return [part, id, TASK_STATES.indexOf(state), null, null, null, bytes];
      return [part, id, null, ACTIONS.indexOf(verdict.action), verdict.reason, verdict.rule, bytes];
    },
  );
  if (rows.length === 0) return;
  const names = { part: "int", id: "int", state: "int", verdict: "int", reason: "text", rule: "text" };
  const { from, values } = columns({ ...names, bytes: "bytes" }, rows);
  // Only what was open is settled: a task that was settled before has a record, and must not get a second one.
  const gone = await queries.query<{ part: number; isKept: boolean }>(
    `WITH x AS MATERIALIZED (SELECT * FROM ${from}),
     gone AS (
       DELETE FROM ${s}.tasks t USING x JOIN ${s}.urls u ON u.part = x.part AND u.id = x.id
       WHERE t.part = u.part AND t.lane = u.lane AND t.place = u.place RETURNING t.part, t.id, x.verdict),
     told AS (
       UPDATE ${s}.urls u SET state = x.state, verdict = coalesce(x.verdict, u.verdict),
         reason = CASE WHEN x.verdict IS NULL THEN u.reason ELSE x.reason END,
         rule = CASE WHEN x.verdict IS NULL THEN u.rule ELSE x.rule END
       FROM x JOIN gone ON gone.part = x.part AND gone.id = x.id WHERE u.part = x.part AND u.id = x.id),
     kept AS (
       INSERT INTO ${s}.records (part, id, bytes)
       SELECT x.part, x.id, x.bytes FROM x JOIN gone ON gone.part = x.part AND gone.id = x.id
       WHERE x.bytes IS NOT NULL ORDER BY x.nth)
     SELECT part, verdict IS NULL AS "isKept" FROM gone`,
    values,
  );
  for (const { part, isKept } of gone) {
    const change = changes.get(part)!;
    change.closed++;
    if (isKept) change.settled++;
  }
}

async function update(queries: Queries, s: string, rowsOf: RowsOf): Promise<void> {
  const retried = rowsOf(
    (batch) => batch.retried,
    (part, { id, attempt, notBefore }) => [part, id, attempt, Math.round(notBefore)],
  );
  if (retried.length > 0) {
    const { from, values } = columns({ part: "int", id: "int", attempt: "int", not_before: "float" }, retried);
    await queries.query(
      `UPDATE ${s}.tasks t SET attempt = x.attempt, not_before = x.not_before
       FROM ${from} JOIN ${s}.urls u ON u.part = x.part AND u.id = x.id
       WHERE t.part = u.part AND t.lane = u.lane AND t.place = u.place`,
      values,
    );
  }
  const lanes = rowsOf(
    (batch) => batch.lanes,
    (part, [key, state]) => [part, key, JSON.stringify(state)],
  );
  await put(queries, `${s}.lanes`, "state", lanes);
  const notes = rowsOf(
    (batch) => batch.notes,
    (part, [key, value]) => [part, key, value],
  );
  await put(queries, `${s}.notes`, "value", notes);
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

/** What goes to other partitions, and what was read of the own inbox. */
async function exchange(queries: Queries, s: string, rowsOf: RowsOf): Promise<void> {
  const sent = rowsOf(
    (batch) => batch.sent,
    (_, { part, bytes }) => [part, bytes],
  );
  if (sent.length > 0) {
    const { from, values } = columns({ part: "int", bytes: "bytes" }, sent);
    await queries.query(`INSERT INTO ${s}.inbox (part, bytes) SELECT part, bytes FROM ${from}`, values);
  }
  const consumed = rowsOf(
    (batch) => batch.consumed,
    (part, seq) => [part, seq],
  );
  if (consumed.length > 0) {
    const { from, values } = columns({ part: "int", seq: "bigint" }, consumed);
    await queries.query(`DELETE FROM ${s}.inbox i USING ${from} WHERE i.part = x.part AND i.seq = x.seq`, values);
  }
}
