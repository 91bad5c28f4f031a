/** A table of known names that are recognised in the source without cutting out a string. */

import { lowerCode } from "./characters.ts";

/** One step of the hash that `find` expects over a name's lower-cased code units, starting from 0. */
export function hashStep(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

const SLOTS = 1024;

export class NameTable {
  readonly names: readonly string[];
  /** Open addressing: the index of a name plus one, or 0. */
  readonly #slots = new Uint16Array(SLOTS);
  readonly #codes: Uint16Array[];

  constructor(names: readonly string[]) {
    this.names = names;
    this.#codes = names.map((name) => Uint16Array.from(name, (character) => character.charCodeAt(0)));
    for (const [index, codes] of this.#codes.entries()) {
      let slot = codes.reduce(hashStep, 0) & (SLOTS - 1);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
      this.#slots[slot] = index + 1;
    }
  }

  /** The index of the name at `start` to `end` in any letter case, or -1. */
  find(codes: Uint16Array, start: number, end: number, hash: number): number {
    for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const index = this.#slots[slot]! - 1;
      if (index < 0) return -1;
      const name = this.#codes[index]!;
      if (name.length !== end - start) continue;
      let offset = 0;
      while (offset < name.length && lowerCode(codes[start + offset]!) === name[offset]) offset++;
      if (offset === name.length) return index;
    }
  }
}
