/**
 * Runs one untrusted, read-only query on a crawl's database: SQLite's authorizer allows only reading.
 *
 * It cannot be interrupted, so it runs in a process that can be killed: see `sql.ts`.
 */

import { constants, type DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { openForReading } from "../../../kernel/sqlite/open-reading.ts";
import { didYouMean } from "../../../settings/did-you-mean.ts";
import { showNamedViews } from "../named-views.ts";
import { showFactColumns } from "../site-schema.ts";
import { sqlTables } from "./sql-tables.ts";

export interface QueryLimits {
  rows: number;
  /** Of the answer, as JSON. */
  bytes: number;
}

export interface QueryAnswer {
  columns: string[];
  /** Blobs, and numbers that JSON cannot represent, are returned as text. */
  rows: (string | number | null)[][];
  /** There were more rows, or values were cut. */
  truncated: boolean;
}

/** The query is not allowed, or invalid. The message is for the author of the query. */
export class QueryError extends Error {}

/** Longer texts are cut. */
const VALUE_LENGTH = 20_000;
/**
 * No text or blob grows longer than this inside a query, because doubling one in a loop would fill the memory in
 * seconds.
 */
const LARGEST_VALUE = 10_000_000;
const LONGEST_SQL = 100_000;

const READING: ReadonlySet<number> = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_RECURSIVE,
]);
/** Functions that reach outside the database; Node's SQLite lacks most of them. */
const FORBIDDEN_FUNCTIONS: ReadonlySet<string> = new Set([
  ...["load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "lsdir", "fsdir", "sqlite_log"],
]);

/** Each comment can be matched in only one way, so that a long series of them does not cause backtracking. */
const OPENING = /^(?:\s|--[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:SELECT|WITH|EXPLAIN|VALUES)\b/i;

export function guardedQuery(path: string, sql: string, limits: QueryLimits): QueryAnswer {
  if (sql.length > LONGEST_SQL) throw new QueryError(`A query can have at most ${LONGEST_SQL} characters.`);
  if (sql.includes("\0")) throw new QueryError("A query cannot contain NUL characters.");
  if (!OPENING.test(sql))
    throw new QueryError("Only SELECT, WITH, VALUES and EXPLAIN are allowed: queries can only read.");
  const db = openForReading(path, { limits: { length: LARGEST_VALUE } });
  try {
    db.exec("PRAGMA trusted_schema = OFF");
    showFactColumns(db);
    showNamedViews(db);
    db.enableDefensive(true);
    db.setAuthorizer(authorize);
    return read(prepareOnly(db, sql), limits);
  } catch (error) {
    throw error instanceof QueryError ? error : new QueryError(withNearName((error as Error).message));
  } finally {
    db.close();
  }
}

/** SQLite names what does not exist; this adds what was probably meant. */
function withNearName(message: string): string {
  const [, what, name = ""] = /^no such (table|column): (?:\w+\.)?(\w+)$/.exec(message) ?? [];
  if (what === undefined) return message;
  const names = sqlTables().flatMap(({ name: table, columns }) =>
    what === "table" ? [table] : columns.map((column) => column.name),
  );
  return message + didYouMean(name, [...new Set(names)]);
}

function authorize(action: number, _: string | null, name: string | null): number {
  if (READING.has(action)) return constants.SQLITE_OK;
  if (action === constants.SQLITE_FUNCTION && !FORBIDDEN_FUNCTIONS.has(String(name).toLowerCase())) {
    return constants.SQLITE_OK;
  }
  return constants.SQLITE_DENY;
}

/** SQLite prepares the first statement and silently ignores the rest, which would mislead the author. */
function prepareOnly(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  const rest = sql.slice(statement.sourceSQL.length);
  if (!isBlank(db, rest)) throw new QueryError("Only one statement can be run at a time.");
  return statement;
}

/** Whether it contains only white space, comments and semicolons, as SQLite sees it. */
function isBlank(db: DatabaseSync, rest: string): boolean {
  const text = rest.replace(/^[\s;]+/, "");
  if (text === "") return true;
  try {
    db.prepare(text);
    return false;
  } catch (error) {
    return /contains no statements/i.test((error as Error).message);
  }
}

function read(statement: StatementSync, limits: QueryLimits): QueryAnswer {
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  const answer: QueryAnswer = { columns: statement.columns().map(({ name }) => name), rows: [], truncated: false };
  let bytes = 0;
  for (const row of statement.iterate() as unknown as Iterable<SQLOutputValue[]>) {
    if (answer.rows.length === limits.rows || bytes >= limits.bytes) {
      answer.truncated = true;
      break;
    }
    const values = row.map((value) => {
      const plain = plainValue(value);
      if (typeof plain !== "string" || plain.length <= VALUE_LENGTH) return plain;
      answer.truncated = true;
      return `${plain.slice(0, VALUE_LENGTH)}…`;
    });
    bytes += Buffer.byteLength(JSON.stringify(values));
    answer.rows.push(values);
  }
  return answer;
}

function plainValue(value: SQLOutputValue): string | number | null {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  return value instanceof Uint8Array ? `[${value.length} bytes]` : value;
}
