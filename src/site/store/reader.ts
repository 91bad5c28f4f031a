/** Reads a crawl's database, while it is being written or afterwards. `view.ts` has its lists. */
import { existsSync } from "node:fs";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { TrawlError } from "../../errors.ts";
import { openForReading } from "../../kernel/sqlite/open-reading.ts";
import { checkVersion, hasTable, LEDGER_MIGRATIONS } from "../../kernel/sqlite/schema.ts";
import { openStore } from "../../kernel/sqlite/store-error.ts";
import { FIELD_NAMES, type Field, fieldNamed } from "../facts/fact-fields.ts";
import { truthOf } from "../facts/field-names.ts";
import { containsText, urlContains } from "./filter/contains.ts";
import { type Condition, parseFilter } from "./filter/filter.ts";
import { addFilterFunctions } from "./filter/filter-functions.ts";
import { unknownField } from "./filter/unknown-field.ts";
import { SITE_MIGRATIONS, SITE_PART, showFactColumns } from "./site-schema.ts";

export type Row = Record<string, string | number | boolean | null>;

export interface UrlQuery {
  /** Names of fields; see `facts/fact-fields.ts`. */
  fields: string[];
  /** Filters as text; all of them must match. */
  filters: string[];
  /** Text that the URL or title contains. */
  search: string | null;
  /** A field name, `-` before it for descending; null for the order of discovery. */
  sort: string | null;
}

/**
 * The FROM clause of lists. By itself, SQLite reads `urls` through the index on `url`, because it is smaller, and then looks
 * up pages all over the file: six times slower with a million URLs. Only a query for one URL is faster with the index.
 */
export const from = (conditions: Condition[]): string =>
  `FROM urls u ${conditions.some(({ sql }) => sql === "u.url = ?") ? "" : "NOT INDEXED"} LEFT JOIN pages p ON p.id = u.id`;

export class SiteReader {
  readonly #db: DatabaseSync;

  constructor(path: string) {
    if (!existsSync(path)) throw new TrawlError("CRAWL_NOT_FOUND", `The database of this crawl is missing: ${path}`);
    const check = (db: DatabaseSync) => {
      checkVersion(db, "ledger", LEDGER_MIGRATIONS);
      checkVersion(db, SITE_PART, SITE_MIGRATIONS);
      showFactColumns(db);
      addFilterFunctions(db);
    };
    this.#db = openStore(path, check, openForReading);
  }

  /** A crawl that was killed in its first moment may have left a file without tables. */
  get isEmpty(): boolean {
    return !hasTable(this.#db, "pages");
  }

  /** The connection, for queries in other files. It cannot write. */
  get db(): DatabaseSync {
    return this.#db;
  }

  /** Every matching URL, one at a time: for exports of any size. */
  *each(query: Pick<UrlQuery, "fields" | "filters" | "search">): Generator<Row> {
    const conditions = conditionsOf(query);
    const columns = columnsOf(query.fields);
    const statement = this.#db.prepare(`SELECT ${columns} ${from(conditions)} ${where(conditions)} ORDER BY u.id`);
    const withTruth = truthReader(query.fields);
    for (const row of statement.iterate(...values(conditions))) yield withTruth(row as Row);
  }

  close(): void {
    this.#db.close();
  }
}

export function conditionsOf({ filters, search }: Pick<UrlQuery, "filters" | "search">): Condition[] {
  const conditions = filters.map(parseFilter);
  if (search !== null) {
    const [url, title] = [urlContains("u.url", search), containsText("p.title", search)];
    conditions.push({ sql: `(${url.sql} OR ${title.sql})`, values: [...url.values, ...title.values] });
  }
  return conditions;
}

export const values = (conditions: Condition[]): SQLInputValue[] => conditions.flatMap((condition) => condition.values);
export const where = (conditions: Condition[]): string =>
  conditions.length === 0 ? "" : `WHERE ${conditions.map((condition) => `(${condition.sql})`).join(" AND ")}`;

/** The fields as columns of a SELECT. */
export const columnsOf = (fields: readonly string[]): string =>
  fields.map((name) => `${known(name).sql} AS "${name}"`).join(", ");

/** Makes booleans of the fields that are stored as Yes and No. */
export function truthReader(fields: readonly string[]): (row: Row) => Row {
  const names = fields.filter((name) => fieldNamed(name)?.type === "boolean");
  if (names.length === 0) return (row) => row;
  return (row) => {
    for (const name of names) row[name] = truthOf(row[name]);
    return row;
  };
}

function known(name: string): Field {
  const field = fieldNamed(name);
  if (field === undefined) {
    throw unknownField(name, FIELD_NAMES);
  }
  return field;
}

export interface Sort {
  /** Never null, so that rows without a value can be ordered. */
  key: string;
  direction: "ASC" | "DESC";
}

export function sortOf(text: string): Sort {
  const descending = text.startsWith("-");
  const field = known(descending ? text.slice(1) : text);
  return {
    key: `coalesce(nullif(${field.sql}, '${field.type === "boolean" ? "-" : ""}'), ${lastKey(field, descending)})`,
    direction: descending ? "DESC" : "ASC",
  };
}

/** Rows without a value come last in either direction: nobody sorts by titles to read a page of empty ones. */
function lastKey({ type }: Field, descending: boolean): string {
  if (type === "number") return descending ? "-1e308" : "1e308";
  return descending ? "''" : "char(1114111)";
}

/** Whether a crawl has stored anything in this file, which may not exist. */
export function hasRecords(database: string): boolean {
  if (!existsSync(database)) return false;
  const reader = new SiteReader(database);
  try {
    return !reader.isEmpty;
  } finally {
    reader.close();
  }
}
