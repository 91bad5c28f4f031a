/**
 * Reads a table of millions of rows as numbers. SQLite calls back for each row, because rows returned as arrays take
 * three times as long and leave garbage.
 */
import type { DatabaseSync, SQLOutputValue as Value } from "node:sqlite";

/** SQLite frees what it passes to a call when that call ends. */
const ROWS_AT_ONCE = 8_192;

export interface NumberTable {
  table: string;
  /** Up to four numbers, as SQL over a row. */
  columns: readonly string[];
}

/** In the order of their ids. */
export function eachRow(
  db: DatabaseSync,
  { table, columns }: NumberTable,
  take: (first: number, second: number, third: number, fourth: number) => void,
): void {
  // Any number of arguments, as an array for each row, would take longer.
  const four = [...columns, "0", "0", "0"].slice(0, 4).join(", ");
  db.aggregate("each_row", {
    start: 0,
    step: (_, first: Value, second: Value, third: Value, fourth: Value) => {
      take(first as number, second as number, third as number, fourth as number);
      return 0;
    },
  });
  const last = Number(db.prepare(`SELECT coalesce(max(id), 0) AS id FROM ${table}`).get()!["id"]);
  const some = db.prepare(`SELECT each_row(${four}) FROM ${table} WHERE id > ? AND id <= ?`);
  for (let id = 0; id < last; id += ROWS_AT_ONCE) some.get(id, id + ROWS_AT_ONCE);
}
