/** Files of records sorted by DID: written once, and searched on disk in a few reads. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isPlcKey, isWhole, KEY_BYTES, RECORD_BYTES } from "./catalogue-record.ts";

/** A second guess is off by 60 records or so in a file of 43 million: this many around it nearly always have the key. */
const PAGE_RECORDS = 272;
const PAGE_BYTES = RECORD_BYTES * PAGE_RECORDS;
/** After so many guesses the keys are not as evenly spread as hashes are, and the rest is halved. */
const MOST_GUESSES = 6;
/** Read at once when a whole file is. */
export const BLOCK_BYTES = RECORD_BYTES * 8_192;

export const compareKeys = (a: Buffer, atA: number, b: Buffer, atB: number): number =>
  a.compare(b, atB, atB + KEY_BYTES, atA, atA + KEY_BYTES);

/** Records in the order of their keys, each key once. */
export interface SortedRecords {
  /** `from`: a key; what is before it may be left out. */
  blocks(from?: Buffer): Iterable<{ bytes: Buffer; length: number }>;
}

export class SortedRun implements SortedRecords {
  readonly path: string;
  readonly count: number;
  /** Of pages, by look-ups. */
  reads = 0;
  readonly #file: number;
  readonly #page = Buffer.allocUnsafe(PAGE_BYTES);
  /** What of the file is in the page. */
  #first = 0;
  #loaded = 0;
  /** Where the keys begin that are not of a did:plc, when that is known. */
  #others: number | null = null;

  /** Throws ENOENT when another process has merged it away. */
  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, "r");
    this.count = Math.floor(fstatSync(this.#file).size / RECORD_BYTES);
  }

  /** The record of a key, in a buffer of its own; null when it has none, or a damaged one. */
  find(key: Buffer): Buffer | null {
    const at = (this.#search(key) - this.#first) * RECORD_BYTES;
    if (at >= this.#loaded * RECORD_BYTES || compareKeys(key, 0, this.#page, at) !== 0) return null;
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

  /**
   * The first record that is not before a key; it is in the page unless all are before it. Keys are hashes, so where one is can be
   * guessed, and a page that was read says how far off the guess was.
   */
  #search(key: Buffer): number {
    const [begin, end] = this.#section(key);
    let [low, high] = [begin, end];
    const share = shareOf(key, 0);
    let guess = begin + share * (end - begin);
    for (let guesses = 1; low < high; guesses++) {
      this.#load(Math.max(low, Math.min(high - 1, Math.floor(guess))), low, high);
      const last = (this.#loaded - 1) * RECORD_BYTES;
      const isBefore = compareKeys(key, 0, this.#page, 0) < 0;
      if (!isBefore && compareKeys(key, 0, this.#page, last) <= 0) return this.#first + this.#inPage(key);
      if (isBefore) high = this.#first;
      else low = this.#first + this.#loaded;
      const off = (share - shareOf(this.#page, isBefore ? 0 : last)) * (end - begin);
      guess = guesses < MOST_GUESSES ? (isBefore ? high : low - 1) + off : (low + high) / 2;
    }
    // Between two pages, or at an end: what comes next may not have been read.
    if (low < this.count) this.#load(low, low, this.count);
    return low;
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
      this.#load(middle, middle, middle + 1);
      if (isPlcKey(this.#page)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #inPage(key: Buffer): number {
    let [low, high] = [0, this.#loaded];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys(this.#page, middle * RECORD_BYTES, key, 0) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Reads the page around a record, within bounds. */
  #load(record: number, low: number, high: number): void {
    this.#first = Math.max(low, Math.min(record - (PAGE_RECORDS >>> 1), high - PAGE_RECORDS));
    this.#loaded = Math.min(PAGE_RECORDS, high - this.#first);
    readSync(this.#file, this.#page, 0, this.#loaded * RECORD_BYTES, this.#first * RECORD_BYTES);
    this.reads++;
  }
}

/** Where a key is among all keys of its kind, from 0 to 1. */
const shareOf = (bytes: Buffer, at: number): number =>
  (bytes.readUInt32BE(at + 1) * 2 ** 16 + bytes.readUInt16BE(at + 5)) / 2 ** 48;
