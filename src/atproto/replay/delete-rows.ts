/** Deletes rows of a table, on servers of any age, and returns when they are gone. */
import { setTimeout as wait } from "node:timers/promises";
import { literal } from "./loaded-accounts.ts";
import { type ReplayTarget, versionOf } from "./replay-tables.ts";

/** Servers before 23.3 have only mutations, which run in the background. */
const FIRST_WITH_DELETE = 23.03;
const POLL_MS = 20;

/**
 * Returns whether there were any. `DATABASE` in the condition is that of the target: a mutation knows no current one. With `rewrite`, the
 * parts of the table are written again without the rows, which a newer server otherwise only hides until it merges them.
 */
export async function deleteRows(
  target: ReplayTarget,
  table: string,
  condition: string,
  { rewrite = false } = {},
): Promise<boolean> {
  const [answer] = await target.rows("SELECT currentDatabase() AS name");
  const database = String(answer?.["name"]);
  const where = condition.replaceAll("DATABASE", `\`${database}\``);
  // Deleting nothing would still rewrite every part of the table.
  if ((await target.rows(`SELECT 1 AS one FROM ${table} WHERE ${where} LIMIT 1`)).length === 0) return false;
  const [major, minor] = await versionOf(target);
  if (!rewrite && major + minor / 100 >= FIRST_WITH_DELETE) {
    await target.command(`DELETE FROM ${table} WHERE ${where}`);
    return true;
  }
  await target.command(`ALTER TABLE ${table} DELETE WHERE ${where}`);
  const running = `SELECT 1 AS one FROM system.mutations WHERE database = ${literal(database)} AND table = '${table}' AND NOT is_done LIMIT 1`;
  while ((await target.rows(running)).length > 0) await wait(POLL_MS);
  return true;
}
