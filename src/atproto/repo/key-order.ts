/** Finds keys that occur twice in a map. Keys in DAG-CBOR's order cannot, so checking the order is nearly always enough. */

import { CborProblem } from "./cbor-reader.ts";
import { MOST_UNORDERED_KEYS } from "./parsed-repo.ts";

const FIRST_CAPACITY = 256;

export class KeyOrder {
  readonly #bytes: Uint8Array;
  /** Start and end of each key of the maps that are open, the innermost last. */
  #stack = new Int32Array(FIRST_CAPACITY);
  #top = 0;
  /** Where the innermost map's keys begin. */
  #base = 0;
  /** The keys of maps that are out of order, by where they begin on the stack. */
  readonly #unordered = new Map<number, Set<string>>();
  /** Whether there are such maps: checked for every key. */
  #anyUnordered = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** For a new record, after one that ended in the middle of its maps. */
  reset(): void {
    this.#top = 0;
    this.#base = 0;
    this.#unordered.clear();
    this.#anyUnordered = false;
  }

  /** Begins a map; pass the result to `close`. */
  open(): number {
    const outer = this.#base;
    this.#base = this.#top;
    return outer;
  }

  close(outer: number): void {
    if (this.#anyUnordered && this.#unordered.delete(this.#base)) this.#anyUnordered = this.#unordered.size > 0;
    this.#top = this.#base;
    this.#base = outer;
  }

  /** False when the map has this key already. */
  add(start: number, length: number): boolean {
    const end = start + length;
    const stack = this.#stack;
    const top = this.#top;
    const inOrder = top === this.#base || this.#isBefore(stack[top - 2]!, stack[top - 1]!, start, end);
    if ((!inOrder || this.#anyUnordered) && !this.#isNew(start, end, inOrder)) return false;
    if (top + 2 > stack.length) {
      this.#stack = new Int32Array(stack.length * 2);
      this.#stack.set(stack);
    }
    this.#stack[top] = start;
    this.#stack[top + 1] = end;
    this.#top = top + 2;
    return true;
  }

  #isNew(start: number, end: number, inOrder: boolean): boolean {
    let keys = this.#unordered.get(this.#base);
    if (keys === undefined) {
      if (inOrder) return true;
      if ((this.#top - this.#base) / 2 > MOST_UNORDERED_KEYS) throw new CborProblem("has too many keys out of order");
      keys = new Set();
      for (let at = this.#base; at < this.#top; at += 2) keys.add(this.#text(this.#stack[at]!, this.#stack[at + 1]!));
      this.#unordered.set(this.#base, keys);
      this.#anyUnordered = true;
    }
    const key = this.#text(start, end);
    if (keys.has(key)) return false;
    if (keys.size >= MOST_UNORDERED_KEYS) throw new CborProblem("has too many keys out of order");
    keys.add(key);
    return true;
  }

  /** Shorter keys first, then bytewise. */
  #isBefore(start: number, end: number, nextStart: number, nextEnd: number): boolean {
    const length = end - start;
    if (length !== nextEnd - nextStart) return length < nextEnd - nextStart;
    const bytes = this.#bytes;
    for (let index = 0; index < length; index++) {
      const difference = bytes[start + index]! - bytes[nextStart + index]!;
      if (difference !== 0) return difference < 0;
    }
    return false;
  }

  #text(start: number, end: number): string {
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, end - start).toString("latin1");
  }
}
