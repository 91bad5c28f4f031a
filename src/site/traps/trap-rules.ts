/** What a page tells about traps, as bits that are stored with it, and when a family of pages is stopped because of them. */
import { SAME_FOLDER, SAME_HOST, SAME_PATH } from "../links/link-kinds.ts";

/** What is stored about a page, as bits: in which of its families it is barren, and why. */
export const REPEATS_PATH = 1;
export const REPEATS_FOLDER = 2;
export const REPEATS_HOST = 4;
export const ENDLESS_FOLDER = 8;
export const ENDLESS_HOST = 16;
export const BARREN = 31;
/** It repeats others only if its own number is left aside. */
export const BY_NUMBER = 32;
/** Its address has words that no other address has. */
export const WORDED = 64;
/** Its links were compared with those of the page examined before it. */
export const EXAMINED = 128;
/** A redirect: its target counts as found on the page before it. */
export const PASSED_ON = 256;
/** Only in memory: a page that is not barren links to it. */
export const VOUCHED = 512;

interface Rule {
  sign: number;
  /** The finder is in the same family. */
  inside: number;
  /** A family is stopped after this many points, … */
  points: number;
  /** … unless the points of other pages, times this, are more. */
  share: number;
}

/**
 * Points: a page that repeats others counts 10, or 1 if only its own number makes it differ. A page that leads ever
 * deeper counts 50 when its address consists of new words, and 1 when it consists of numbers, as in large catalogues.
 */
export const RULES: readonly Rule[] = [
  { sign: REPEATS_PATH, inside: SAME_PATH, points: 160, share: 5 },
  { sign: REPEATS_FOLDER, inside: SAME_FOLDER, points: 480, share: 20 },
  { sign: REPEATS_HOST, inside: SAME_HOST, points: 4_000, share: 20 },
  { sign: ENDLESS_FOLDER, inside: SAME_FOLDER, points: 150_000, share: 20 },
  { sign: ENDLESS_HOST, inside: SAME_HOST, points: 600_000, share: 20 },
];

/** Two bytes per id: there may be millions. */
export class Signs {
  #bits = new Uint16Array(1 << 12);

  get(id: number): number {
    return this.#bits[id] ?? 0;
  }

  add(id: number, bits: number): void {
    if (id >= this.#bits.length) {
      const grown = new Uint16Array(Math.max(id + 1, this.#bits.length * 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[id]! |= bits;
  }
}
