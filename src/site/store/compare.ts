/**
 * Compares two crawls of a site by URL: what was added, removed, and changed in which field.
 *
 * Only URLs that were fetched count, on either side. What differs is written to a temporary table once, so that every
 * page of it is fast; 100,000 URLs on each side take about a second.
 */
import { existsSync } from "node:fs";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { TrawlError } from "../../errors.ts";
import { openForReading, readingWay } from "../../kernel/sqlite/open-reading.ts";
import { COMPARED, type ComparedField } from "../facts/fact-fields.ts";
import { columnNames } from "./schema.ts";

export const CHANGES = ["added", "removed", "changed"] as const;
export type Change = (typeof CHANGES)[number];

/** What a change means for visitors and search engines, in the order of the list: what got worse first, what got better last. */
export const EFFECTS = ["newly_broken", "no_longer_indexable", "none", "indexable_again", "fixed"] as const;
export type Effect = Exclude<(typeof EFFECTS)[number], "none">;
const NONE = EFFECTS.indexOf("none");

type Value = string | number | null;

export interface FieldChange {
  field: string;
  before: Value;
  after: Value;
}

export interface ComparedUrl {
  url: string;
  change: Change;
  /** Null for a change that is neither better nor worse. */
  effect: Effect | null;
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
  effects: Record<Effect, number>;
  /** For each field, on how many of the changed URLs it differs. */
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
  /** `next` of the page before. */
  cursor: string | null;
}

export interface ComparisonPage {
  total: number;
  /** By effect, then by URL. */
  rows: ComparedUrl[];
  next: string | null;
}

const CHANGED = CHANGES.indexOf("changed");
const FETCHED = (schema: string) =>
  `SELECT count(*) AS n FROM ${schema}.urls u JOIN ${schema}.pages p ON p.id = u.id WHERE u.verdict = 'crawl'`;

const isBroken = (page: string): string => `(coalesce(${page}.status >= 400, 0) OR ${page}.error IS NOT NULL)`;
const effect = (name: (typeof EFFECTS)[number]): number => EFFECTS.indexOf(name);
/** A URL that was not there before is newly broken too. */
const EFFECT = `CASE WHEN ${isBroken("p")} THEN iif(q.id IS NOT NULL AND ${isBroken("q")}, ${NONE}, ${effect("newly_broken")})
  WHEN q.indexable = 'Yes' AND p.indexable = 'No' THEN ${effect("no_longer_indexable")}
  WHEN q.id IS NOT NULL AND ${isBroken("q")} THEN ${effect("fixed")}
  WHEN q.indexable = 'No' AND p.indexable = 'Yes' THEN ${effect("indexable_again")} ELSE ${NONE} END`;

/** Joins, not subqueries: if the index on URLs is not built yet, SQLite creates a temporary one for a join. */
const build = (compared: readonly ComparedField[]): string => `
  CREATE TEMP TABLE changes (
    effect INTEGER NOT NULL, url TEXT NOT NULL, change INTEGER NOT NULL, fields INTEGER NOT NULL, before INTEGER,
    after INTEGER, PRIMARY KEY (effect, url)
  ) WITHOUT ROWID;
  INSERT INTO changes
    WITH now AS MATERIALIZED (
      SELECT u.url AS url, q.id AS before, p.id AS after, ${maskOf(compared)} AS fields,
        ${EFFECT} AS effect
      FROM main.urls u NOT INDEXED JOIN main.pages p ON p.id = u.id
      LEFT JOIN earlier.urls b ON b.url = u.url AND b.verdict = 'crawl' LEFT JOIN earlier.pages q ON q.id = b.id
      WHERE u.verdict = 'crawl')
    SELECT effect, url, iif(before IS NULL, 0, ${CHANGED}), iif(before IS NULL, 0, fields), before, after FROM now
    WHERE before IS NULL OR fields <> 0;
  INSERT INTO changes
    SELECT ${NONE}, b.url, 1, 0, q.id, NULL
    FROM earlier.urls b NOT INDEXED JOIN earlier.pages q ON q.id = b.id
    LEFT JOIN main.urls u ON u.url = b.url AND u.verdict = 'crawl' LEFT JOIN main.pages p ON p.id = u.id
    WHERE b.verdict = 'crawl' AND p.id IS NULL;`;

/** The fields that differ, as bits by their place in the list. An empty text is as good as none. */
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
  /** A fact that the older of the two databases lacks would differ on every page. */
  readonly #compared: readonly ComparedField[];

  /** Compares the crawl in the database `before` with the later one in `after`, as they are now. */
  constructor(before: string, after: string) {
    for (const path of [before, after]) {
      if (!existsSync(path)) throw new TrawlError("CRAWL_NOT_FOUND", `The database of this crawl is missing: ${path}`);
    }
    // What is attached to a connection that cannot write cannot be written either; temporary tables can.
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
    if (search !== null) add("instr(lower(c.url), lower(?)) > 0", search);
    const total = this.#one(`SELECT count(*) AS n FROM changes c WHERE ${conditions.join(" AND ")}`, values);
    if (cursor !== null) {
      const [behind, url] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as [number, string];
      conditions.push("(effect, c.url) > (?, ?)");
      values.push(behind, url);
    }
    const rows = this.#db
      .prepare(
        `SELECT c.url AS url, change, effect, fields, q.status AS statusBefore, p.status AS statusAfter, ${valuesOf(this.#compared)}
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
  /** `before0`, `after0`, and so on. */
  [value: string]: Value;
}

const cursorBehind = ({ effect, url }: StoredChange): string =>
  Buffer.from(JSON.stringify([effect, url])).toString("base64url");

/** Numbers have 53 bits, but JavaScript's operators use only 32; a field that is not compared has none. */
const bitOf = (bit: number): number => (bit < 0 ? 0 : 2 ** bit);

function comparedUrl(row: StoredChange, compared: readonly ComparedField[]): ComparedUrl {
  const { url, change, effect, fields, statusBefore, statusAfter } = row;
  const differing = compared.flatMap(({ name: field }, bit): FieldChange[] =>
    Math.floor(fields / bitOf(bit)) % 2 === 0
      ? []
      : [{ field, before: row[`before${bit}`]!, after: row[`after${bit}`]! }],
  );
  const meaning = EFFECTS[effect]!;
  return {
    url,
    change: CHANGES[change]!,
    effect: meaning === "none" ? null : meaning,
    fields: differing,
    statusBefore,
    statusAfter,
  };
}
