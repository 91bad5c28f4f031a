/**
 * How far each segment was loaded, in a table next to the records in each target. A bookmark is written after its records;
 * records that are loaded again after a crash replace themselves.
 */
import { basename } from "node:path";
import type { CollectionFilter } from "../collection-filter.ts";
import { PARTIAL_SUFFIX } from "../rca/format/segment-names.ts";
import type { SegmentReader } from "../rca/read/segment-reader.ts";
import { escaped } from "./record-rows.ts";
import type { ReplayTarget } from "./replay-tables.ts";
import { BOOKMARKS_TABLE, RECORDS_TABLE } from "./replay-tables.ts";

export interface Bookmark {
  segment: string;
  /** The key of the filter it was loaded with. */
  collections: string;
  /** Where the last loaded block begins, and its DID: in a repaired segment, another block may be there. */
  offset: number;
  did: string;
  /** Of the file when it was loaded to its end; 0 before. */
  size: number;
}

/** Not of a segment: its size is 1 when the last replay ended well. */
const ENDED: Bookmark = { segment: "(replay)", collections: "", offset: 0, did: "", size: 0 };

const COLUMNS = ["segment", "collections", "offset", "did", "size", "time_us"];

/** By name and creation time, so that two archives can be loaded into one table. */
export const segmentId = (segment: SegmentReader): string =>
  `${basename(segment.path, PARTIAL_SUFFIX)}@${segment.header?.createdAt ?? 0}`;

/** If the table was dropped or emptied to load everything again, the bookmarks are no longer valid. */
export async function dropWithoutRecords(target: ReplayTarget): Promise<void> {
  const [record] = await target.rows(`SELECT 1 AS one FROM ${RECORDS_TABLE} LIMIT 1`);
  if (record === undefined) await target.command(`DROP TABLE IF EXISTS ${BOOKMARKS_TABLE}`);
}

export class Bookmarks {
  readonly #target: ReplayTarget;
  readonly #filter: CollectionFilter;
  readonly #now: () => number;
  #bookmarks = new Map<string, Bookmark>();
  #lastTime = 0;
  #hadRecords = false;

  private constructor(target: ReplayTarget, filter: CollectionFilter, now: () => number) {
    this.#target = target;
    this.#filter = filter;
    this.#now = now;
  }

  static async open(target: ReplayTarget, filter: CollectionFilter, now: () => number): Promise<Bookmarks> {
    await target.command(`CREATE TABLE IF NOT EXISTS ${BOOKMARKS_TABLE} (
  segment String, collections String, offset Int64, did String, size Int64, time_us Int64
) ENGINE = ReplacingMergeTree(time_us) ORDER BY (segment, collections)`);
    const bookmarks = new Bookmarks(target, filter, now);
    await bookmarks.#read();
    bookmarks.#hadRecords = (await target.rows(`SELECT 1 AS one FROM ${RECORDS_TABLE} LIMIT 1`)).length > 0;
    return bookmarks;
  }

  /** The segments that were ever loaded, with any filter. */
  get segments(): string[] {
    return [...this.#bookmarks.values()].map(({ segment }) => segment).filter((segment) => segment !== ENDED.segment);
  }

  /** Whether anything of it was ever loaded, with any filter. */
  knows(segment: string): boolean {
    return this.segments.includes(segment);
  }

  /** True when the replay before this one did not end well, or nobody knows: its rows may be there without bookmarks. */
  async begin(): Promise<boolean> {
    const before = this.#bookmarks.get(keyOf(ENDED));
    await this.#insert([{ ...ENDED, size: 0 }]);
    return this.#hadRecords && before?.size !== 1;
  }

  async end(): Promise<void> {
    await this.#insert([{ ...ENDED, size: 1 }]);
  }

  /** Where the batches begin that were not loaded. */
  eventsLoadedUntil(segment: string): number {
    const ends = [this.#filter.key, ""].map(
      (collections) => this.#bookmarks.get(keyOf({ segment, collections }))?.offset,
    );
    return Math.max(0, ...ends.map((end) => end ?? 0));
  }

  /** Null when nothing of the segment needs to be loaded; otherwise the offset whose block, and all before, are loaded. */
  async loadedUntil(segment: SegmentReader): Promise<number | null> {
    let until = -1;
    // What was loaded with all collections serves every filter.
    for (const collections of new Set([this.#filter.key, ""])) {
      const bookmark = this.#bookmarks.get(keyOf({ segment: segmentId(segment), collections }));
      if (bookmark === undefined) continue;
      if (bookmark.size === segment.size) return null;
      const isThere = (await segment.find(bookmark.did)).some(({ offset }) => offset === bookmark.offset);
      if (isThere) until = Math.max(until, bookmark.offset);
    }
    return until;
  }

  async save(marks: Iterable<Omit<Bookmark, "collections">>): Promise<void> {
    await this.#insert([...marks].map((mark) => ({ ...mark, collections: this.#filter.key })));
  }

  async #insert(marks: readonly Bookmark[]): Promise<void> {
    // With two in the same microsecond, it would be unclear which is newer.
    this.#lastTime = Math.max(this.#lastTime + 1, this.#now() * 1_000);
    let rows = "";
    for (const { segment, collections, offset, did, size } of marks) {
      const fields = [escaped(segment), collections, offset, escaped(did), size, this.#lastTime];
      rows += `${fields.join("\t")}\n`;
    }
    if (rows !== "") await this.#target.insert(BOOKMARKS_TABLE, COLUMNS, Buffer.from(rows));
  }

  async #read(): Promise<void> {
    const rows = await this.#target.rows(
      `SELECT segment, collections, toString(offset) AS at, did, toString(size) AS length, toString(time_us) AS saved FROM ${BOOKMARKS_TABLE} FINAL`,
    );
    for (const { segment, collections, at, did, length, saved } of rows) {
      this.#lastTime = Math.max(this.#lastTime, Number(saved));
      const bookmark = {
        segment: String(segment),
        collections: String(collections),
        offset: Number(at),
        did: String(did),
        size: Number(length),
      };
      this.#bookmarks.set(keyOf(bookmark), bookmark);
    }
  }
}

const keyOf = ({ segment, collections }: Pick<Bookmark, "segment" | "collections">): string =>
  `${segment}\n${collections}`;
