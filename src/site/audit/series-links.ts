/**
 * Links that few pages have and rules often ask for, such as rel=next. They are collected once while all links are
 * read, instead of searched for among the links of each page.
 */
import type { DatabaseSync } from "node:sqlite";
import type { LinkWatcher } from "../graph/link-graph.ts";
import { type Kind, kindNumber } from "../links/link-kinds.ts";
import { RowBatch } from "../store/record-store.ts";

export const SERIES_KINDS = ["next", "prev", "refresh"] as const satisfies readonly Kind[];
const NEXT = kindNumber("next");
const NUMBERS = new Set(SERIES_KINDS.map(kindNumber));

/**
 * Creates the tables `series_links`, in the order of the links, and `series_loops`, the pages of series that lead in a
 * circle, for this connection.
 */
export const showSeriesLinks = (db: DatabaseSync): void =>
  db.exec(`CREATE TEMP TABLE series_links (source INTEGER, type INTEGER, target INTEGER);
    CREATE TEMP TABLE series_loops (id INTEGER PRIMARY KEY, pages INTEGER)`);

export class SeriesLinks implements LinkWatcher {
  readonly #db: DatabaseSync;
  readonly #links: RowBatch;
  /** By the id of a page: the page that it first names as the next. */
  readonly #next: Int32Array;

  /** `size` is one more than the largest id of a URL. */
  constructor(db: DatabaseSync, size: number) {
    this.#db = db;
    this.#links = new RowBatch(db, "series_links", ["source", "type", "target"]);
    this.#next = new Int32Array(size);
  }

  link(source: number, target: number, type: number): void {
    if (!NUMBERS.has(type)) return;
    for (const value of [source, type, target]) this.#links.push(value);
    if (type === NEXT && this.#next[source] === 0) this.#next[source] = target;
  }

  end(): void {
    this.#links.flush();
    this.#db.exec("CREATE INDEX temp.series_links_source ON series_links (source, type)");
    const loops = new RowBatch(this.#db, "series_loops", ["id", "pages"]);
    for (const loop of loopsIn(this.#next)) {
      for (const id of loop) for (const value of [id, loop.length]) loops.push(value);
    }
    loops.flush();
  }
}

/** Every circle of a graph in which each node leads to one other node, or to 0, which stands for no node. */
export function* loopsIn(next: Int32Array): Iterable<number[]> {
  const seenFrom = new Int32Array(next.length);
  for (let start = 1; start < next.length; start++) {
    let at = start;
    for (; next[at] !== 0 && seenFrom[at] === 0; at = next[at]!) seenFrom[at] = start;
    if (next[at] === 0 || seenFrom[at] !== start) continue;
    const loop = [at];
    for (let other = next[at]!; other !== at; other = next[other]!) loop.push(other);
    yield loop;
  }
}

/** The target of a page's first link of a kind. */
export const firstOfSeries = (kind: (typeof SERIES_KINDS)[number], page: string): string =>
  `(SELECT target FROM series_links WHERE source = ${page} AND type = ${kindNumber(kind)} ORDER BY rowid LIMIT 1)`;

export const countOfSeries = (kind: (typeof SERIES_KINDS)[number], page: string): string =>
  `(SELECT count(*) FROM series_links WHERE source = ${page} AND type = ${kindNumber(kind)})`;
