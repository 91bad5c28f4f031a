/**
 * Two crawls of a site side by side, by URL: what came, what went, and what changed in which field.
 *
 * Only URLs that were fetched count, on either side. What differs is written to a temporary table once, so that every
 * page of it comes at once; 100,000 URLs on each side take about a second.
 */
import { existsSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { TrawlError } from "../../errors.ts";
import { COMPARED, type ComparedField } from "../facts/fact-fields.ts";
import { columnNames } from "./schema.ts";

export const CHANGES = ["added", "removed", "changed"] as const;
export type Change = (typeof CHANGES)[number];

type Value = string | number | null;

export interface FieldChange {
  field: string;
  before: Value;
  after: Value;
}

export interface ComparedUrl {
  url: string;
  change: Change;
  /** With "changed": the fields that differ. */
  fields: FieldChange[];
  statusBefore: number | null;
  statusAfter: number | null;
}

export interface ComparisonCounts {
  /** URLs that were fetched, then and now. */
  before: number;
  after: number;
  added: number;
  removed: number;
  changed: number;
  unchanged: number;
  /** Of the changed ones: in how many each field differs. */
  fields: Record<string, number>;
}

export interface ComparisonQuery {
  /** Null for all. */
  change: Change | null;
  /** Only URLs in which this field changed. */
  field: string | null;
  /** Text that the URL contains. */
  search: string | null;
  limit: number;
  /** `next` of the page before. */
  cursor: string | null;
}

export interface ComparisonPage {
  total: number;
  /** By URL. */
  rows: ComparedUrl[];
  next: string | null;
}

const CHANGED = CHANGES.indexOf("changed");
const FETCHED = (schema: string) =>
  `SELECT count(*) AS n FROM ${schema}.urls u JOIN ${schema}.pages p ON p.id = u.id WHERE u.verdict = 'crawl'`;

/** Joins, not subqueries: where the index on URLs is not built yet, SQLite makes one of its own for a join. */
const build = (compared: readonly ComparedField[]): string => `
  CREATE TEMP TABLE changes (
    url TEXT PRIMARY KEY, change INTEGER NOT NULL, fields INTEGER NOT NULL, before INTEGER, after INTEGER
  ) WITHOUT ROWID;
  INSERT INTO changes
    WITH now AS MATERIALIZED (
      SELECT u.url AS url, q.id AS before, p.id AS after, ${maskOf(compared)} AS fields
      FROM main.urls u NOT INDEXED JOIN main.pages p ON p.id = u.id
      LEFT JOIN earlier.urls b ON b.url = u.url AND b.verdict = 'crawl' LEFT JOIN earlier.pages q ON q.id = b.id
      WHERE u.verdict = 'crawl')
    SELECT url, iif(before IS NULL, 0, ${CHANGED}), iif(before IS NULL, 0, fields), before, after FROM now
    WHERE before IS NULL OR fields <> 0;
  INSERT INTO changes
    SELECT b.url, 1, 0, q.id, NULL
    FROM earlier.urls b NOT INDEXED JOIN earlier.pages q ON q.id = b.id
    LEFT JOIN main.urls u ON u.url = b.url AND u.verdict = 'crawl' LEFT JOIN main.pages p ON p.id = u.id
    WHERE b.verdict = 'crawl' AND p.id IS NULL;`;

/** The fields that differ, as bits by their place in the list. */
const maskOf = (compared: readonly ComparedField[]): string =>
  compared.map(({ sql }, bit) => `((${sql("p", "main")} IS NOT ${sql("q", "earlier")}) << ${bit})`).join(" | ");

const valuesOf = (compared: readonly ComparedField[]): string =>
  compared
    .map(({ sql }, bit) => `${sql("q", "earlier")} AS before${bit}, ${sql("p", "main")} AS after${bit}`)
    .join(", ");

export class Comparison {
  readonly counts: ComparisonCounts;
  readonly #db: DatabaseSync;
  /** A fact that one of the two databases lacks, because it was made before, would differ on every page. */
  readonly #compared: readonly ComparedField[];

  /** Compares the crawl in the database `before` with the later one in `after`, as they are now. */
  constructor(before: string, after: string) {
    for (const path of [before, after]) {
      if (!existsSync(path)) throw new TrawlError("CRAWL_NOT_FOUND", `The database of this crawl is gone: ${path}`);
    }
    // What is attached to a connection that cannot write cannot be written either; temporary tables can.
    this.#db = new DatabaseSync(after, { readOnly: true });
    try {
      this.#db.exec("PRAGMA busy_timeout = 5000");
      this.#db.prepare("ATTACH ? AS earlier").run(before);
      const [now, then] = [columnNames(this.#db, "main", "pages"), columnNames(this.#db, "earlier", "pages")];
      this.#compared = COMPARED.filter(({ column }) => now.has(column) && then.has(column));
      this.#db.exec(build(this.#compared));
      this.counts = this.#count();
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  rows({ change, field, search, limit, cursor }: ComparisonQuery): ComparisonPage {
    const conditions = ["1"];
    const values: SQLInputValue[] = [];
    const add = (sql: string, value: SQLInputValue) => {
      conditions.push(sql);
      values.push(value);
    };
    if (change !== null) add("change = ?", CHANGES.indexOf(change));
    if (field !== null) add("fields & ? <> 0", bitOf(this.#compared.findIndex(({ name }) => name === field)));
    if (search !== null) add("instr(lower(c.url), lower(?)) > 0", search);
    const total = this.#one(`SELECT count(*) AS n FROM changes c WHERE ${conditions.join(" AND ")}`, values);
    if (cursor !== null) add("c.url > ?", Buffer.from(cursor, "base64url").toString());
    const rows = this.#db
      .prepare(
        `SELECT c.url AS url, change, fields, q.status AS statusBefore, p.status AS statusAfter, ${valuesOf(this.#compared)}
         FROM changes c LEFT JOIN main.pages p ON p.id = c.after LEFT JOIN earlier.pages q ON q.id = c.before
         WHERE ${conditions.join(" AND ")} ORDER BY c.url LIMIT ?`,
      )
      .all(...values, Math.trunc(limit) + 1) as unknown as StoredChange[];
    const shown = rows.slice(0, limit);
    const next = rows.length > limit ? Buffer.from(shown.at(-1)!.url).toString("base64url") : null;
    return { total, rows: shown.map((row) => comparedUrl(row, this.#compared)), next };
  }

  close(): void {
    this.#db.close();
  }

  #count(): ComparisonCounts {
    const of = (index: number) => this.#one("SELECT count(*) AS n FROM changes WHERE change = ?", [index]);
    const [added, removed, changed] = CHANGES.map((_, index) => of(index)) as [number, number, number];
    const after = this.#one(FETCHED("main"));
    const fields = this.#compared.map(({ name }, bit) => [
      name,
      this.#one("SELECT coalesce(sum(fields >> ? & 1), 0) AS n FROM changes", [bit]),
    ]);
    return {
      before: this.#one(FETCHED("earlier")),
      after,
      added,
      removed,
      changed,
      unchanged: after - added - changed,
      fields: Object.fromEntries(fields) as Record<string, number>,
    };
  }

  #one(sql: string, values: SQLInputValue[] = []): number {
    return Number(this.#db.prepare(sql).get(...values)!["n"]);
  }
}

interface StoredChange {
  url: string;
  change: number;
  fields: number;
  statusBefore: number | null;
  statusAfter: number | null;
  /** `before0`, `after0`, and so on. */
  [value: string]: Value;
}

/** Numbers hold 53 bits, operators of JavaScript only 32; a field that is not compared has none. */
const bitOf = (bit: number): number => (bit < 0 ? 0 : 2 ** bit);

function comparedUrl(row: StoredChange, compared: readonly ComparedField[]): ComparedUrl {
  const { url, change, fields, statusBefore, statusAfter } = row;
  const differing = compared.flatMap(({ name: field }, bit): FieldChange[] =>
    Math.floor(fields / bitOf(bit)) % 2 === 0
      ? []
      : [{ field, before: row[`before${bit}`]!, after: row[`after${bit}`]! }],
  );
  return { url, change: CHANGES[change]!, fields: differing, statusBefore, statusAfter };
}
