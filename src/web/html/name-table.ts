/** A table of known names that are recognised in the source without cutting out a string. */

import { lowerCode } from "./characters.ts";

/** One step of the hash that `find` expects over a name's lower-cased bytes, starting from 0. */
export function hashStep(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

const SLOTS = 1024;

export class NameTable {
  readonly names: readonly string[];
  /** Open addressing: the index of a name plus one, or 0. */
  readonly #slots = new Uint16Array(SLOTS);
  /** The bytes of all names in a row, and where each begins; the last entry is their end. */
  readonly #codes: Uint8Array;
  readonly #starts: Uint16Array;

  constructor(names: readonly string[]) {
    this.names = names;
    this.#codes = Uint8Array.from(names.join(""), (character) => character.charCodeAt(0));
    this.#starts = new Uint16Array(names.length + 1);
    for (const [index, name] of names.entries()) {
      const start = this.#starts[index]!;
      const end = start + name.length;
      this.#starts[index + 1] = end;
      let slot = this.#codes.subarray(start, end).reduce(hashStep, 0) & (SLOTS - 1);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
      this.#slots[slot] = index + 1;
    }
  }

  /** The index of the name at `start` to `end` in any letter case, or -1. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const index = this.#slots[slot]! - 1;
      if (index < 0) return -1;
      let known = this.#starts[index]!;
      if (this.#starts[index + 1]! - known !== end - start) continue;
      let at = start;
      while (at < end && lowerCode(bytes[at]!) === this.#codes[known]) {
        at++;
        known++;
      }
      if (at === end) return index;
    }
  }
}
