/**
 * Gives texts of links (anchor text, context, DOM path) small ids, so that a navigation repeated on every page is
 * stored once. It keeps fingerprints in a table of fixed size, in which a new text replaces an old one. A text stored
 * twice costs one row, but remembering all texts would use too much memory.
 */
import { Fingerprint } from "../kernel/fingerprint.ts";

const SLOTS = 1 << 16;
const SMALLEST_BYTES = 1 << 14;

/** Texts with ids from `first` on: UTF-8 in a row, and the end of each text. */
export interface PackedTexts {
  first: number;
  bytes: Uint8Array;
  ends: Int32Array;
}

export const NO_TEXTS: PackedTexts = { first: 0, bytes: new Uint8Array(0), ends: new Int32Array(0) };

export function eachText({ first, bytes, ends }: PackedTexts, each: (id: number, text: string) => void): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let start = 0;
  for (let index = 0; index < ends.length; index++) {
    each(first + index, buffer.toString("utf8", start, ends[index]));
    start = ends[index]!;
  }
}

export class TextDictionary {
  readonly #print = new Fingerprint();
  readonly #high = new Uint32Array(SLOTS);
  readonly #low = new Uint32Array(SLOTS);
  readonly #ids = new Uint32Array(SLOTS);
  #next: number;
  #fresh = Buffer.allocUnsafeSlow(SMALLEST_BYTES);
  #freshLength = 0;
  #freshEnds: number[] = [];

  readonly #isPerRecord: boolean;

  /** `isPerRecord`: ids start over with every record, so that each record can be read without the others. */
  constructor(nextId: number, isPerRecord = false) {
    this.#next = nextId;
    this.#isPerRecord = isPerRecord;
  }

  id(text: string): number {
    const bytes = Buffer.from(text);
    return this.idOf(bytes, 0, bytes.length);
  }

  /** The id of the text that is `bytes` from `start` to `end`; 0 for the empty text. */
  idOf(bytes: Buffer, start: number, end: number): number {
    if (start === end) return 0;
    this.#print.takeBytes(bytes, start, end);
    const { high, low } = this.#print;
    const slot = low & (SLOTS - 1);
    if (this.#ids[slot] !== 0 && this.#low[slot] === low && this.#high[slot] === high) return this.#ids[slot]!;
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#ids[slot] = this.#next;
    this.#keep(bytes, start, end);
    return this.#next++;
  }

  /** Texts that got their id since the last call. */
  takeFresh(): PackedTexts {
    const bytes = new Uint8Array(this.#fresh.subarray(0, this.#freshLength));
    const ends = Int32Array.from(this.#freshEnds);
    this.#freshLength = 0;
    this.#freshEnds = [];
    const first = this.#next - ends.length;
    if (this.#isPerRecord) {
      this.#ids.fill(0);
      this.#next = 1;
    }
    return { first, bytes, ends };
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    const length = this.#freshLength + end - start;
    if (length > this.#fresh.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, this.#fresh.length * 2));
      this.#fresh.copy(grown, 0, 0, this.#freshLength);
      this.#fresh = grown;
    }
    bytes.copy(this.#fresh, this.#freshLength, start, end);
    this.#freshLength = length;
    this.#freshEnds.push(length);
  }
}
