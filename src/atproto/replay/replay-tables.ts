/** Where records are loaded, the tables they are loaded into, and the one that the DIDs to crawl may come from. */
import { TrawlError } from "../../errors.ts";

/** Servers before 20.1 store times only to the second. */
export type TimeType = "DateTime64(6)" | "DateTime";

const FIRST_WITH_MICROSECONDS: readonly [number, number] = [20, 1];

export const RECORDS_TABLE = "repo_records";
export const BOOKMARKS_TABLE = "replay_bookmarks";
/** Which accounts were loaded, and which were left out because they are not active. */
export const ACCOUNTS_TABLE = "repo_accounts";
/** Repos of which rows may have to go, and the rows that do; both are empty between replays. */
export const TOUCHED_TABLE = "replay_touched";
export const DROPPED_TABLE = "replay_dropped";

/** For a server of this version, as `SELECT version()` gives it. */
export function timeTypeFor(version: string): TimeType {
  const [major, minor] = versionNumbers(version);
  const [firstMajor, firstMinor] = FIRST_WITH_MICROSECONDS;
  const isOlder = major < firstMajor || (major === firstMajor && minor < firstMinor);
  return isOlder ? "DateTime" : "DateTime64(6)";
}

function versionNumbers(version: string): [major: number, minor: number] {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined) throw new TrawlError("CLICKHOUSE_FAILED", `It reports ${version} as its version.`);
  return [Number(major), Number(minor)];
}

export async function versionOf(target: ReplayTarget): Promise<[major: number, minor: number]> {
  const [answer] = await target.rows("SELECT version() AS version");
  return versionNumbers(String(answer?.["version"]));
}

export function schemaStatements(time: TimeType): string[] {
  const now = time === "DateTime" ? "now()" : "now64(6)";
  return [
    `CREATE TABLE IF NOT EXISTS plc_did_state (
  did String,
  handle String,
  pds String,
  created_at ${time},
  indexed_at ${time} DEFAULT ${now},
  time_us Int64
) ENGINE = ReplacingMergeTree(time_us) ORDER BY did`,
    `CREATE TABLE IF NOT EXISTS ${RECORDS_TABLE} (
  repo String,
  collection String,
  rkey String,
  operation Enum8('create' = 1, 'update' = 2, 'delete' = 3),
  record_json String,
  created_at ${time},
  indexed_at ${time} DEFAULT ${now},
  time_us Int64
) ENGINE = ReplacingMergeTree(time_us) PARTITION BY toYYYYMM(created_at) ORDER BY (collection, repo, rkey, operation)`,
    `CREATE TABLE IF NOT EXISTS ${ACCOUNTS_TABLE} (
  repo String,
  status String,
  time_us Int64
) ENGINE = ReplacingMergeTree(time_us) ORDER BY repo`,
  ];
}

/** Of the server's version; for people to read before they apply it. */
export async function schemaOf(target: ReplayTarget): Promise<string[]> {
  const [answer] = await target.rows("SELECT version() AS version");
  return schemaStatements(timeTypeFor(String(answer?.["version"])));
}

/** Creates missing tables; existing ones are not changed. */
export async function applySchema(target: ReplayTarget): Promise<void> {
  for (const statement of await schemaOf(target)) await target.command(statement);
}

/** The columns of an existing table: a newer server may have a table created by an older version. */
export async function recordsTimeType(target: ReplayTarget): Promise<TimeType> {
  const [column] = await target.rows(
    `SELECT type FROM system.columns WHERE database = currentDatabase() AND table = '${RECORDS_TABLE}' AND name = 'created_at'`,
  );
  return String(column?.["type"]).startsWith("DateTime64") ? "DateTime64(6)" : "DateTime";
}

/** Where records are loaded: a ClickHouse server, or the ClickHouse that runs inside this process. */
export interface ReplayTarget extends AsyncDisposable {
  command(sql: string): Promise<void>;
  /** For answers of a few rows. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
  /** `rows` is in the format TabSeparated; it must not change until this resolves. */
  insert(table: string, columns: readonly string[], rows: Buffer): Promise<void>;
}
