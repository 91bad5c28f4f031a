/** Files of records sorted by DID: written once, and searched on disk in a few reads. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { PAGE_RECORDS, type Pages, pageAround, searchPages, shareOf } from "../search-pages.ts";
import { isPlcKey, isWhole, KEY_BYTES, RECORD_BYTES } from "./catalogue-record.ts";

const PAGE_BYTES = RECORD_BYTES * PAGE_RECORDS;
/** Read at once when a whole file is. */
export const BLOCK_BYTES = RECORD_BYTES * 8_192;

export const compareKeys = (a: Buffer, atA: number, b: Buffer, atB: number): number =>
  a.compare(b, atB, atB + KEY_BYTES, atA, atA + KEY_BYTES);

/** Records in the order of their keys, each key once. */
export interface SortedRecords {
  /** `from`: a key; what is before it may be left out. */
  blocks(from?: Buffer): Iterable<{ bytes: Buffer; length: number }>;
}

export class SortedRun implements SortedRecords, Pages {
  readonly path: string;
  readonly count: number;
  /** Of pages, by look-ups. */
  reads = 0;
  readonly #file: number;
  readonly #page = Buffer.allocUnsafe(PAGE_BYTES);
  first = 0;
  loaded = 0;
  #wanted: Buffer = Buffer.alloc(KEY_BYTES);
  /** Where the keys begin that are not of a did:plc, when that is known. */
  #others: number | null = null;

  /** Throws ENOENT when another process has merged it away. */
  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, "r");
    this.count = Math.floor(fstatSync(this.#file).size / RECORD_BYTES);
  }

  /** The record of a key, in a buffer of its own; null when the key has no record or a damaged one. */
  find(key: Buffer): Buffer | null {
    const place = this.#search(key) - this.first;
    if (place >= this.loaded || this.compare(place) !== 0) return null;
    const at = place * RECORD_BYTES;
    return isWhole(this.#page, at) ? Buffer.from(this.#page.subarray(at, at + RECORD_BYTES)) : null;
  }

  /** All of them in order, or those from a key on. The buffer is that of the reader: it changes with the next block. */
  *blocks(from?: Buffer): Generator<{ bytes: Buffer; length: number }> {
    const bytes = Buffer.allocUnsafe(BLOCK_BYTES);
    for (let at = from === undefined ? 0 : this.#search(from) * RECORD_BYTES; at < this.count * RECORD_BYTES; ) {
      const read = readSync(this.#file, bytes, 0, BLOCK_BYTES, at);
      const length = read - (read % RECORD_BYTES);
      if (length === 0) return;
      yield { bytes, length };
      at += length;
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  compare(place: number): number {
    return compareKeys(this.#page, place * RECORD_BYTES, this.#wanted, 0);
  }

  shareAt(place: number): number {
    return shareOf(this.#page, place * RECORD_BYTES + 1);
  }

  load(record: number, low: number, high: number): void {
    const { first, loaded } = pageAround(record, low, high);
    this.first = first;
    this.loaded = loaded;
    readSync(this.#file, this.#page, 0, loaded * RECORD_BYTES, first * RECORD_BYTES);
    this.reads++;
  }

  /** The first record that is not before a key; it is in the page unless all are before it. */
  #search(key: Buffer): number {
    this.#wanted = key;
    const [begin, end] = this.#section(key);
    const found = searchPages(this, shareOf(key, 1), begin, end);
    // Between two pages or at an end: the neighbour may not have been read.
    if (found < this.count && (found < this.first || found >= this.first + this.loaded))
      this.load(found, found, this.count);
    return found;
  }

  /** Those of did:plc and the others are two sections, each evenly spread. */
  #section(key: Buffer): [begin: number, end: number] {
    if (isPlcKey(key)) return [0, this.#others ?? this.count];
    this.#others ??= this.#firstOther();
    return [this.#others, this.count];
  }

  #firstOther(): number {
    let [low, high] = [0, this.count];
    // Most runs have none.
    for (let middle = high - 1; low < high; middle = (low + high) >>> 1) {
      this.load(middle, middle, middle + 1);
      if (isPlcKey(this.#page)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
