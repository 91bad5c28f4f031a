/** Records in memory, one for each DID: what a log has, and what is sorted before it becomes a run. */
import { type CatalogueEntry, foldRecord, isWhole, keyText, RECORD_BYTES, writeEntry } from "./catalogue-record.ts";
import { compareKeys } from "./sorted-run.ts";

/** How many bits of a sort key are the record's number. */
const NUMBER_BITS = 20;
export const MOST_RECORDS = 1 << NUMBER_BITS;

export class RecordBatch {
  #bytes: Buffer;
  #count = 0;
  readonly #places = new Map<string, number>();

  constructor(capacity = 1_024) {
    this.#bytes = Buffer.allocUnsafe(capacity * RECORD_BYTES);
  }

  get count(): number {
    return this.#count;
  }

  /** Returns the record as it was written. */
  add(entry: CatalogueEntry): Buffer {
    const record = Buffer.allocUnsafe(RECORD_BYTES);
    writeEntry(entry, record);
    this.addRecord(record, 0);
    return record;
  }

  addRecord(bytes: Buffer, at: number): void {
    const key = keyText(bytes, at);
    const place = this.#places.get(key);
    if (place !== undefined) {
      foldRecord(this.#bytes.subarray(place, place + RECORD_BYTES), bytes, at);
      return;
    }
    const end = this.#count * RECORD_BYTES;
    if (end === this.#bytes.length) {
      const larger = Buffer.allocUnsafe(this.#bytes.length * 2);
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, end, at, at + RECORD_BYTES);
    this.#places.set(key, end);
    this.#count++;
  }

  /** What a log has, up to its first torn record. Returns the bytes that are whole. */
  addLog(bytes: Buffer): number {
    let at = 0;
    for (; at + RECORD_BYTES <= bytes.length && isWhole(bytes, at); at += RECORD_BYTES) this.addRecord(bytes, at);
    return at;
  }

  find(key: Buffer): Buffer | null {
    const place = this.#places.get(keyText(key));
    return place === undefined ? null : this.#bytes.subarray(place, place + RECORD_BYTES);
  }

  clear(): void {
    this.#count = 0;
    this.#places.clear();
  }

  /** All of them in order, as a run has them. */
  *blocks(): Generator<{ bytes: Buffer; length: number }> {
    const numbers = this.#sorted();
    const bytes = Buffer.allocUnsafe(numbers.length * RECORD_BYTES);
    for (const [place, number] of numbers.entries())
      this.#bytes.copy(bytes, place * RECORD_BYTES, number * RECORD_BYTES, (number + 1) * RECORD_BYTES);
    if (numbers.length > 0) yield { bytes, length: bytes.length };
  }

  /** A sort key is the first 44 bits and the record's number: sorting plain integers takes a tenth of the time. */
  #sorted(): Uint32Array {
    const keys = new BigUint64Array(this.#count);
    const halves = new Uint32Array(keys.buffer);
    for (let number = 0; number < this.#count; number++) {
      const at = number * RECORD_BYTES;
      // The first byte is the kind of DID, 0 or 1.
      const kind = this.#bytes[at]! << 31;
      halves[number * 2 + 1] = (kind | (this.#bytes.readUInt32BE(at + 1) >>> 1)) >>> 0;
      const next = ((this.#bytes[at + 4]! & 1) << 11) | (this.#bytes.readUInt16BE(at + 5) >>> 5);
      halves[number * 2] = ((next << NUMBER_BITS) | number) >>> 0;
    }
    keys.sort();
    const numbers = new Uint32Array(this.#count);
    for (let at = 0; at < this.#count; at++) {
      let place = at;
      const number = halves[at * 2]! & (MOST_RECORDS - 1);
      // DIDs that begin with the same 43 bits are hardly ever different ones.
      while (place > 0 && this.#compare(numbers[place - 1]!, number) > 0) numbers[place] = numbers[--place]!;
      numbers[place] = number;
    }
    return numbers;
  }

  #compare(a: number, b: number): number {
    return compareKeys(this.#bytes, a * RECORD_BYTES, this.#bytes, b * RECORD_BYTES);
  }
}
