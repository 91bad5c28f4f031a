/**
 * Leaves one row of each record, without FINAL: after loading, records that are gone from a newer block get a row `delete`, and of every
 * record all rows but the newest are removed. Merges would not do it: they keep rows of different operations and months apart.
 */

import { collectionFilter } from "../collection-filter.ts";
import { deleteRows } from "./delete-rows.ts";
import { literal } from "./loaded-accounts.ts";
import {
  ACCOUNTS_TABLE,
  DROPPED_TABLE,
  RECORDS_TABLE,
  type ReplayTarget,
  type TimeType,
  TOUCHED_TABLE,
} from "./replay-tables.ts";

export interface SettleOptions {
  target: ReplayTarget;
  time: TimeType;
  /** The same rows may have been inserted twice. */
  mayRepeat: boolean;
  /** Accounts that are not active may have rows. */
  excludes: boolean;
}

/** Rows that are grouped in memory at once. */
const ROWS_AT_ONCE = 2_000_000;
const KEY = "repo, collection, rkey";

export async function settle({ target, time, mayRepeat, excludes }: SettleOptions): Promise<void> {
  const keys = await target.rows(`SELECT DISTINCT collections FROM ${TOUCHED_TABLE}`);
  await target.command(`DROP TABLE IF EXISTS ${DROPPED_TABLE}`);
  await target.command(
    `CREATE TABLE ${DROPPED_TABLE} (repo String, collection String, rkey String, operation Int8, time_us Int64) ENGINE = MergeTree ORDER BY repo`,
  );
  for (const { collections } of keys) await settleTouched(target, String(collections), time);
  const rows = `(${KEY}, toInt8(operation), time_us) IN (SELECT ${KEY}, operation, time_us FROM DATABASE.${DROPPED_TABLE})`;
  if ((await target.rows(`SELECT 1 AS one FROM ${DROPPED_TABLE} LIMIT 1`)).length > 0)
    await deleteRows(target, RECORDS_TABLE, rows);
  const excluded = `repo IN (SELECT repo FROM DATABASE.${ACCOUNTS_TABLE} FINAL WHERE status != '')`;
  if (excludes) await deleteRows(target, RECORDS_TABLE, excluded);
  if (mayRepeat) await target.command(`OPTIMIZE TABLE ${RECORDS_TABLE} FINAL`);
  // Merges alone would leave an account that was loaded again with two rows, and two different statuses.
  await target.command(`OPTIMIZE TABLE ${ACCOUNTS_TABLE} FINAL`);
  await target.command(`TRUNCATE TABLE ${TOUCHED_TABLE}`);
  await target.command(`DROP TABLE ${DROPPED_TABLE}`);
}

/** Of the repos that were loaded with one filter. */
async function settleTouched(target: ReplayTarget, collections: string, time: TimeType): Promise<void> {
  const { sql } = collectionFilter(collections === "" ? [] : collections.split(","));
  const inFilter = sql === null ? "1" : `(${sql})`;
  const touched = (more: string): string =>
    `(SELECT repo FROM ${TOUCHED_TABLE} WHERE collections = ${literal(collections)} AND ${more})`;
  const [answer] = await target.rows(
    `SELECT toString(count()) AS many FROM ${RECORDS_TABLE} WHERE repo IN ${touched("1")}`,
  );
  const parts = Math.max(1, Math.ceil(Number(answer?.["many"]) / ROWS_AT_ONCE));
  for (let part = 0; part < parts; part++) {
    const inPart = parts === 1 ? "1" : `cityHash64(repo) % ${parts} = ${part}`;
    const wanted = `repo IN ${touched(inPart)} AND ${inFilter}`;
    await target.command(deletesSql(wanted, collections, time));
    await target.command(
      `INSERT INTO ${DROPPED_TABLE} SELECT ${KEY}, toInt8(operation), time_us FROM ${RECORDS_TABLE}
       WHERE ${wanted} AND (${KEY}, time_us) NOT IN
         (SELECT ${KEY}, max(time_us) FROM ${RECORDS_TABLE} WHERE ${wanted} GROUP BY ${KEY})`,
    );
  }
}

/** A record whose newest row is older than the newest block of its repo is not in that block. */
const deletesSql = (wanted: string, collections: string, time: TimeType): string =>
  `INSERT INTO ${RECORDS_TABLE} (repo, collection, rkey, operation, record_json, created_at, time_us)
   SELECT repo, collection, rkey, CAST('delete', 'Enum8(\\'create\\' = 1, \\'update\\' = 2, \\'delete\\' = 3)'), '', ${timeOf("block", time)}, block
   FROM (
     SELECT ${KEY}, max(time_us) AS newest, argMax(toInt8(operation), time_us) AS last
     FROM ${RECORDS_TABLE} WHERE ${wanted} GROUP BY ${KEY}
   ) AS records ANY LEFT JOIN (
     SELECT repo, max(block_us) AS block FROM ${TOUCHED_TABLE} WHERE collections = ${literal(collections)} GROUP BY repo
   ) AS blocks USING repo
   WHERE newest < block AND last != 3`;

const timeOf = (micros: string, time: TimeType): string =>
  time === "DateTime" ? `toDateTime(intDiv(${micros}, 1000000))` : `fromUnixTimestamp64Micro(${micros})`;
