/**
 * Compares two crawls of a site by URL: what was added, what is gone, what was not crawled this time and why, and what changed
 * in which field.
 *
 * Only URLs that were fetched count, on either side. What differs is written to a temporary table once, so that every
 * page of it is fast; 100,000 URLs on each side take about a second.
 */
import { existsSync } from "node:fs";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { TrawlError } from "../../errors.ts";
import { openForReading, readingWay } from "../../kernel/sqlite/open-reading.ts";
import { COMPARED, type ComparedField } from "../facts/fact-fields.ts";
import { truthOf } from "../facts/field-names.ts";
import { urlContains } from "./filter/contains.ts";
import { columnNames } from "./site-schema.ts";

/**
 * `gone`: it was requested and no longer exists. `not_crawled`: it was not requested, which says nothing about the
 * site.
 */
export const CHANGES = ["added", "gone", "not_crawled", "changed"] as const;
export type Change = (typeof CHANGES)[number];

/**
 * What a change means for visitors and search engines. The list begins with what got worse and ends with what got
 * better.
 */
export const EFFECTS = ["newly_broken", "no_longer_indexable", "none", "indexable_again", "fixed"] as const;
export type Effect = Exclude<(typeof EFFECTS)[number], "none">;
const NONE = EFFECTS.indexOf("none");

type Value = string | number | null;

export interface FieldChange {
  field: string;
  before: Value | boolean;
  after: Value | boolean;
}

export interface ComparedUrl {
  url: string;
  change: Change;
  /** Null for a change that is neither better nor worse. */
  effect: Effect | null;
  /** With "not_crawled": why it was not crawled, `queued`, or NO_LONGER_FOUND. */
  reason: string | null;
  /** With "changed" and "gone": the fields that differ. */
  fields: FieldChange[];
  statusBefore: number | null;
  statusAfter: number | null;
}

export interface ComparisonCounts {
  /** URLs that were fetched, then and now. */
  before: number;
  after: number;
  added: number;
  gone: number;
  notCrawled: number;
  changed: number;
  unchanged: number;
  effects: Record<Effect, number>;
  /** For each field, the number of changed URLs in which it differs. */
  fields: Record<string, number>;
}

export interface ComparisonQuery {
  /** Null for all. */
  change: Change | null;
  effect: Effect | null;
  /** Only URLs in which this field changed. */
  field: string | null;
  /** Text that the URL contains. */
  search: string | null;
  limit: number;
  /** `next` of the previous page. */
  cursor: string | null;
}

export interface ComparisonPage {
  total: number;
  /** By effect, then by URL. */
  rows: ComparedUrl[];
  next: string | null;
}

/** Nothing in the later crawl led to the URL. */
export const NO_LONGER_FOUND = "no_longer_found";

const change = (name: Change): number => CHANGES.indexOf(name);
const FETCHED = (schema: string) =>
  `SELECT count(*) AS n FROM ${schema}.urls u JOIN ${schema}.pages p ON p.id = u.id WHERE u.verdict = 'crawl'`;

const isBroken = (page: string): string => `(coalesce(${page}.status >= 400, 0) OR ${page}.error IS NOT NULL)`;
/** Gone for everyone. Other errors may depend on the server's state, or on us. */
const isGone = (page: string): string => `(coalesce(${page}.status IN (404, 410), 0) OR ${page}.error IS NOT NULL)`;
const effect = (name: (typeof EFFECTS)[number]): number => EFFECTS.indexOf(name);
/** Search engines list no redirects either, but then their target stands for the page. */
const isRedirect = (page: string): string =>
  `coalesce(${page}.status BETWEEN 300 AND 399 AND ${page}.status <> 304, 0)`;
/** A URL that did not exist before is newly broken too. */
const EFFECT = `CASE WHEN ${isBroken("p")} THEN iif(q.id IS NOT NULL AND ${isBroken("q")}, ${NONE}, ${effect("newly_broken")})
  WHEN q.indexable = 'Yes' AND p.indexable = 'No' AND NOT ${isRedirect("p")} THEN ${effect("no_longer_indexable")}
  WHEN q.id IS NOT NULL AND ${isBroken("q")} THEN ${effect("fixed")}
  WHEN q.indexable = 'No' AND p.indexable = 'Yes' AND NOT ${isRedirect("q")} THEN ${effect("indexable_again")} ELSE ${NONE} END`;

/** Joins, not subqueries: if the index on URLs is not built yet, SQLite creates a temporary one for a join. */
const build = (compared: readonly ComparedField[]): string => `
  CREATE TEMP TABLE changes (
    effect INTEGER NOT NULL, url TEXT NOT NULL, change INTEGER NOT NULL, fields INTEGER NOT NULL, before INTEGER,
    after INTEGER, reason TEXT, PRIMARY KEY (effect, url)
  ) WITHOUT ROWID;
  INSERT INTO changes
    WITH now AS MATERIALIZED (
      SELECT u.url AS url, q.id AS before, p.id AS after, ${maskOf(compared)} AS fields,
        ${EFFECT} AS effect, ${isGone("p")} AND NOT ${isGone("q")} AS is_gone
      FROM main.urls u NOT INDEXED JOIN main.pages p ON p.id = u.id
      LEFT JOIN earlier.urls b ON b.url = u.url AND b.verdict = 'crawl' LEFT JOIN earlier.pages q ON q.id = b.id
      WHERE u.verdict = 'crawl')
    SELECT effect, url, CASE WHEN before IS NULL THEN ${change("added")} WHEN is_gone THEN ${change("gone")}
      ELSE ${change("changed")} END, iif(before IS NULL, 0, fields), before, after, NULL FROM now
    WHERE before IS NULL OR fields <> 0;
  INSERT INTO changes
    SELECT ${NONE}, b.url, ${change("not_crawled")}, 0, q.id, NULL,
      CASE WHEN u.id IS NULL THEN '${NO_LONGER_FOUND}' WHEN u.state = 'open' THEN 'queued' ELSE u.reason END
    FROM earlier.urls b NOT INDEXED JOIN earlier.pages q ON q.id = b.id
    LEFT JOIN main.urls u ON u.url = b.url LEFT JOIN main.pages p ON p.id = u.id AND u.verdict = 'crawl'
    WHERE b.verdict = 'crawl' AND p.id IS NULL;`;

/** The fields that differ, as bits by their place in the list. An empty text counts as missing. */
const maskOf = (compared: readonly ComparedField[]): string =>
  compared
    .map(({ sql }, bit) => `((nullif(${sql("p", "main")}, '') IS NOT nullif(${sql("q", "earlier")}, '')) << ${bit})`)
    .join(" | ");

const valuesOf = (compared: readonly ComparedField[]): string =>
  compared
    .map(({ sql }, bit) => `${sql("q", "earlier")} AS before${bit}, ${sql("p", "main")} AS after${bit}`)
    .join(", ");

export class Comparison {
  readonly counts: ComparisonCounts;
  readonly #db: DatabaseSync;
  /** A fact that the older database lacks would differ on every page. */
  readonly #compared: readonly ComparedField[];

  /** Compares the crawl in the database `before` with the later one in `after`, as they are now. */
  constructor(before: string, after: string) {
    for (const path of [before, after]) {
      if (!existsSync(path)) throw new TrawlError("CRAWL_NOT_FOUND", `The database of this crawl is missing: ${path}`);
    }
    // A database attached to a read-only connection cannot be written, but temporary tables can.
    this.#db = openForReading(after);
    try {
      const { location, pragma } = readingWay(before);
      this.#db.exec(pragma);
      this.#db.prepare("ATTACH ? AS earlier").run(location);
      const [now, then] = [columnNames(this.#db, "main", "pages"), columnNames(this.#db, "earlier", "pages")];
      this.#compared = COMPARED.filter(({ column }) => now.has(column) && then.has(column));
      this.#db.exec(build(this.#compared));
      this.counts = this.#count();
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  rows({ change, effect, field, search, limit, cursor }: ComparisonQuery): ComparisonPage {
    const conditions = ["1"];
    const values: SQLInputValue[] = [];
    const add = (sql: string, value: SQLInputValue) => {
      conditions.push(sql);
      values.push(value);
    };
    if (change !== null) add("change = ?", CHANGES.indexOf(change));
    if (effect !== null) add("effect = ?", EFFECTS.indexOf(effect));
    if (field !== null) add("fields & ? <> 0", bitOf(this.#compared.findIndex(({ name }) => name === field)));
    if (search !== null) {
      const { sql, values: given } = urlContains("c.url", search);
      conditions.push(sql);
      values.push(...given);
    }
    const total = this.#one(`SELECT count(*) AS n FROM changes c WHERE ${conditions.join(" AND ")}`, values);
    if (cursor !== null) {
      const [behind, url] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as [number, string];
      conditions.push("(effect, c.url) > (?, ?)");
      values.push(behind, url);
    }
    const rows = this.#db
      .prepare(
        `SELECT c.url AS url, change, effect, fields, q.status AS statusBefore, p.status AS statusAfter, reason,
           ${valuesOf(this.#compared)}
         FROM changes c LEFT JOIN main.pages p ON p.id = c.after LEFT JOIN earlier.pages q ON q.id = c.before
         WHERE ${conditions.join(" AND ")} ORDER BY effect, c.url LIMIT ?`,
      )
      .all(...values, Math.trunc(limit) + 1) as unknown as StoredChange[];
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const next = rows.length > limit && last !== undefined ? cursorBehind(last) : null;
    return { total, rows: shown.map((row) => comparedUrl(row, this.#compared)), next };
  }

  close(): void {
    this.#db.close();
  }

  #count(): ComparisonCounts {
    const of = (index: number) => this.#one("SELECT count(*) AS n FROM changes WHERE change = ?", [index]);
    const [added, gone, notCrawled, changed] = CHANGES.map((_, index) => of(index)) as [number, number, number, number];
    const after = this.#one(FETCHED("main"));
    const fields = this.#compared.map(({ name }, bit) => [
      name,
      this.#one("SELECT coalesce(sum(fields >> ? & 1), 0) AS n FROM changes", [bit]),
    ]);
    return {
      before: this.#one(FETCHED("earlier")),
      after,
      added,
      gone,
      notCrawled,
      changed,
      unchanged: after - added - gone - changed,
      effects: this.#effects(),
      fields: Object.fromEntries(fields) as Record<string, number>,
    };
  }

  #effects(): Record<Effect, number> {
    const of = (index: number) => this.#one("SELECT count(*) AS n FROM changes WHERE effect = ?", [index]);
    const named = EFFECTS.map((name, index) => [name, of(index)] as const).filter(([name]) => name !== "none");
    return Object.fromEntries(named) as Record<Effect, number>;
  }

  #one(sql: string, values: SQLInputValue[] = []): number {
    return Number(this.#db.prepare(sql).get(...values)!["n"]);
  }
}

interface StoredChange {
  url: string;
  change: number;
  effect: number;
  fields: number;
  statusBefore: number | null;
  statusAfter: number | null;
  reason: string | null;
  /** `before0`, `after0`, and so on. */
  [value: string]: Value;
}

const cursorBehind = ({ effect, url }: StoredChange): string =>
  Buffer.from(JSON.stringify([effect, url])).toString("base64url");

/** Numbers have 53 bits, but JavaScript's operators use only 32; a field that is not compared has none. */
const bitOf = (bit: number): number => (bit < 0 ? 0 : 2 ** bit);

function comparedUrl(row: StoredChange, compared: readonly ComparedField[]): ComparedUrl {
  const { url, change, effect, fields, statusBefore, statusAfter, reason } = row;
  const differing = compared.flatMap(({ name: field, isBoolean }, bit): FieldChange[] => {
    if (Math.floor(fields / bitOf(bit)) % 2 === 0) return [];
    const [before, after] = [row[`before${bit}`]!, row[`after${bit}`]!];
    return [isBoolean ? { field, before: truthOf(before), after: truthOf(after) } : { field, before, after }];
  });
  const meaning = EFFECTS[effect]!;
  return {
    url,
    change: CHANGES[change]!,
    effect: meaning === "none" ? null : meaning,
    reason,
    fields: differing,
    statusBefore,
    statusAfter,
  };
}
