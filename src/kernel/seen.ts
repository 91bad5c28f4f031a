/**
 * Fingerprint → number, in typed arrays: tells whether a key is new, and gives its id, without asking the ledger.
 *
 * A slot is 12 bytes (64-bit fingerprint, 32-bit value). The table is made of segments that grow by a quarter at 3/4
 * full: a key costs 16 to 20 bytes, and while a segment grows, only its own slots exist twice. One large table
 * would need twice its memory at that moment.
 *
 * If two fingerprints collided, one key would be taken for the other: it would never be crawled, and links to it
 * would point at the other one. With 64 well-mixed bits and n keys the chance that any pair collides is about n²/2⁶⁵:
 * 3 in a million at 10 M keys, 3 in a hundred at 1 G keys.
 */
import { Fingerprint } from "./fingerprint.ts";

/** Chosen by the fingerprint's first bits. Many enough that each segment is small, few enough that an empty table is small. */
const SEGMENT_BITS = 5;
const SEGMENTS = 1 << SEGMENT_BITS;
const GROWTH = 1.25;

export class SeenTable {
  readonly #segments: Segment[];
  readonly #print: Fingerprint;
  #size = 0;

  constructor(capacity = 1 << 12, print = new Fingerprint()) {
    this.#print = print;
    // Of different sizes, so that they do not all grow at the same time.
    const slots = (index: number) => Math.max(1, Math.ceil((capacity / SEGMENTS) * GROWTH ** (index / SEGMENTS)));
    this.#segments = Array.from({ length: SEGMENTS }, (_, index) => new Segment(slots(index)));
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  /** The value stored for the key; 0 if there isn't one (values are therefore never 0). */
  get(key: string): number {
    this.#print.take(key);
    const { high, low } = this.#print;
    return this.#segments[high >>> (32 - SEGMENT_BITS)]!.get(high, low);
  }

  set(key: string, value: number): void {
    this.#print.take(key);
    const { high, low } = this.#print;
    if (this.#segments[high >>> (32 - SEGMENT_BITS)]!.set(high, low, value)) this.#size++;
  }
}

class Segment {
  #high: Uint32Array;
  #low: Uint32Array;
  #value: Uint32Array;
  #size = 0;

  constructor(slots: number) {
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    this.#value = new Uint32Array(slots);
  }

  get bytes(): number {
    return this.#high.byteLength * 3;
  }

  get(high: number, low: number): number {
    return this.#value[this.#slot(high, low)]!;
  }

  /** True when the fingerprint is new. */
  set(high: number, low: number, value: number): boolean {
    let slot = this.#slot(high, low);
    const isNew = this.#value[slot] === 0;
    if (isNew) {
      if ((this.#size + 1) * 4 > this.#value.length * 3) {
        this.#grow();
        slot = this.#slot(high, low);
      }
      this.#high[slot] = high;
      this.#low[slot] = low;
      this.#size++;
    }
    this.#value[slot] = value;
    return isNew;
  }

  #slot(high: number, low: number): number {
    const slots = this.#value.length;
    // The low half as a share of 2^32 chooses the slot: so the number of slots need not be a power of two.
    let slot = Math.floor((low / 0x1_0000_0000) * slots);
    while (this.#value[slot] !== 0 && (this.#low[slot] !== low || this.#high[slot] !== high)) {
      if (++slot === slots) slot = 0;
    }
    return slot;
  }

  #grow(): void {
    const { 0: high, 1: low, 2: value } = [this.#high, this.#low, this.#value];
    const slots = Math.ceil(value.length * GROWTH);
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    this.#value = new Uint32Array(slots);
    for (let old = 0; old < value.length; old++) {
      if (value[old] === 0) continue;
      const slot = this.#slot(high[old]!, low[old]!);
      this.#high[slot] = high[old]!;
      this.#low[slot] = low[old]!;
      this.#value[slot] = value[old]!;
    }
  }
}

/** Counts per key against one limit, in a table that stays small: the caps per host and per URL pattern. */
export class Budget {
  readonly limit: number;
  #spent = new SeenTable();

  /** A limit of 0 means no limit, and then nothing is counted. */
  constructor(limit: number) {
    this.limit = limit;
  }

  has(key: string): boolean {
    return this.limit === 0 || this.#of(key) < this.limit;
  }

  /** A negative count gives back what was spent. */
  spend(key: string, count = 1): void {
    if (this.limit !== 0) this.#spent.set(key, this.#of(key) + count + 1);
  }

  /** Stored plus one, because the table has no zeros. */
  #of(key: string): number {
    return Math.max(0, this.#spent.get(key) - 1);
  }
}
