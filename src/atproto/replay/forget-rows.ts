/** Erases an account from the tables that `replay` fills. */
import { deleteRows } from "./delete-rows.ts";
import { literal } from "./loaded-accounts.ts";
import {
  ACCOUNTS_TABLE,
  BOOKMARKS_TABLE,
  DROPPED_TABLE,
  RECORDS_TABLE,
  type ReplayTarget,
  TOUCHED_TABLE,
} from "./replay-tables.ts";

/** Every table with a DID, and the column it is in. */
const TABLES = [
  [RECORDS_TABLE, "repo"],
  [ACCOUNTS_TABLE, "repo"],
  [TOUCHED_TABLE, "repo"],
  // Empty unless a replay was killed.
  [DROPPED_TABLE, "repo"],
  [BOOKMARKS_TABLE, "did"],
] as const;

/** Returns how many rows of records there were. Tables that do not exist have nothing of it. */
export async function forgetRows(target: ReplayTarget, did: string): Promise<number> {
  const names = TABLES.map(([table]) => `'${table}'`).join(",");
  const rows = await target.rows(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND name IN (${names})`,
  );
  const existing = new Set(rows.map(({ name }) => String(name)));
  const is = (column: string): string => `${column} = ${literal(did)}`;
  const [answer] = existing.has(RECORDS_TABLE)
    ? await target.rows(`SELECT toString(count()) AS many FROM ${RECORDS_TABLE} WHERE ${is("repo")}`)
    : [];
  for (const [table, column] of TABLES) {
    if (existing.has(table)) await deleteRows(target, table, is(column), { rewrite: true });
  }
  return Number(answer?.["many"] ?? 0);
}
