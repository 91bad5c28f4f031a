/**
 * Finds pages with nearly the same text, and text that many pages share, from sketches of the texts. Pages are sorted
 * by parts of their sketches (locality-sensitive hashing): pages that are much alike end up side by side for at least
 * one part, so each is compared with a few neighbours instead of all other pages. Takes 160 bytes per page.
 */
import type { DatabaseSync } from "node:sqlite";
import { EMPTY_BIN, SKETCH_BINS } from "../page/text-sketch.ts";

/**
 * With 16 parts of 8 bins, pages that are 90 % alike meet in 9,999 of 10,000 cases, and pages that are 80 % alike in 95
 * of 100.
 */
const PARTS = 16;
const BINS_PER_PART = SKETCH_BINS / PARTS;
/** A part with fewer numbers could come from any short text. */
const LEAST_BINS = 4;
const NEIGHBOURS = 4;
/** How many letters stand for a number, and so how often two are equal by chance. */
const LETTERS = 63;
/** Text on this many pages belongs to the template. */
const TEMPLATE_SHARE = 0.3;
const LEAST_TEMPLATE_PAGES = 5;
/** Pages that are less alike only share a subject. */
const LEAST_SIMILARITY = 50;

export interface Likeness {
  /**
   * By the position of a page: the id of the page most like it, or 0; how similar it is, in percent; and the share of
   * its text that is not its own.
   */
  ids: Int32Array;
  closest: Int32Array;
  similarity: Uint8Array;
  boilerplate: Uint8Array;
}

/** The indexable pages that have a sketch, in the order of their ids. */
export function readLikeness(db: DatabaseSync): Likeness {
  const where = "FROM pages WHERE indexable = 'Yes' AND text_sketch IS NOT NULL";
  const size = Number(db.prepare(`SELECT count(*) AS n ${where}`).get()!["n"]);
  const ids = new Int32Array(size);
  // A buffer of its own: a small one would share memory, and not begin at a multiple of four.
  const sketches = Buffer.from(new ArrayBuffer(size * SKETCH_BINS));
  const ownText = new Uint8Array(size);
  const statement = db.prepare(`SELECT id, text_sketch, coalesce(round(own_text), 100) ${where} ORDER BY id`);
  statement.setReturnArrays(true);
  let place = 0;
  for (const row of statement.iterate() as unknown as Iterable<[number, string, number]>) {
    ids[place] = row[0];
    ownText[place] = row[2];
    sketches.write(row[1], place++ * SKETCH_BINS, SKETCH_BINS, "latin1");
  }
  // What stands in landmarks, and what the rest shares with many pages.
  const template = templateShares(sketches, size);
  const boilerplate = ownText.map((own, at) => Math.round(100 - own * (1 - template[at]! / 100)));
  return { ids, ...closestOf(sketches, ids), boilerplate };
}

function closestOf(sketches: Buffer, ids: Int32Array): Pick<Likeness, "closest" | "similarity"> {
  const size = ids.length;
  const closest = new Int32Array(size);
  const similarity = new Uint8Array(size);
  // A number combines the key of a part and the position of the page.
  const places = 2 ** Math.ceil(Math.log2(size + 1));
  const keys = Math.min(2 ** 32, Number.MAX_SAFE_INTEGER / places);
  const sorted = new Float64Array(size);
  const words = new Int32Array(sketches.buffer, sketches.byteOffset, size * WORDS);
  const take = (a: number, b: number, percent: number): void => {
    if (percent <= similarity[a]!) return;
    similarity[a] = percent;
    closest[a] = ids[b]!;
  };
  for (let part = 0; part < PARTS; part++) {
    let count = 0;
    for (let place = 0; place < size; place++) {
      const key = partKey(sketches, place * SKETCH_BINS + part * BINS_PER_PART);
      if (key >= 0) sorted[count++] = Math.floor((key * keys) / 2 ** 32) * places + place;
    }
    const order = sorted.subarray(0, count).sort();
    for (let at = 0; at < count; at++) {
      const a = order[at]! % places;
      const key = order[at]! - a;
      for (let next = at + 1; next < count && next <= at + NEIGHBOURS; next++) {
        const b = order[next]! % places;
        if (order[next]! - b !== key) break;
        const percent = alike(words, a, b);
        if (percent < LEAST_SIMILARITY) continue;
        take(a, b, percent);
        take(b, a, percent);
      }
    }
  }
  return { closest, similarity };
}

/** A hash of some bins; -1 when most of them are empty. */
function partKey(sketches: Buffer, from: number): number {
  let hash = 0x811c9dc5;
  let filled = 0;
  for (let at = from; at < from + BINS_PER_PART; at++) {
    const letter = sketches[at]!;
    if (letter !== EMPTY_BIN) filled++;
    hash = Math.imul(hash ^ letter, 0x01000193);
  }
  return filled < LEAST_BINS ? -1 : (hash ^ (hash >>> 15)) >>> 0;
}

const WORDS = SKETCH_BINS / 4;
const EMPTY_WORD = Math.imul(EMPTY_BIN, 0x01010101);
const LOW_BITS = 0x7f7f7f7f;

/**
 * In percent. Bins that are empty in both are ignored. Four bins are compared at once, because there are millions of
 * pairs.
 */
function alike(words: Int32Array, a: number, b: number): number {
  let equal = 0;
  let empty = 0;
  const [first, second] = [a * WORDS, b * WORDS];
  for (let word = 0; word < WORDS; word++) {
    const letters = words[first + word]!;
    const difference = letters ^ words[second + word]!;
    equal += zeroBytes(difference);
    empty += zeroBytes(difference | (letters ^ EMPTY_WORD));
    // They cannot become similar enough any more.
    if (equal + 4 * (WORDS - 1 - word) < (SKETCH_BINS * LEAST_SIMILARITY) / 100 && empty === 0) return 0;
  }
  const compared = SKETCH_BINS - empty;
  const found = equal - empty;
  const byChance = (compared - found) / (LETTERS - 1);
  return compared === 0 ? 0 : Math.round((Math.max(0, found - byChance) * 100) / compared);
}

/** How many of the four bytes are 0. */
function zeroBytes(word: number): number {
  const marks = ~(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS);
  return Math.imul((marks >>> 7) & 0x01010101, 0x01010101) >>> 24;
}

/** How much of each page's own text is on many other pages too, in percent. */
function templateShares(sketches: Buffer, size: number): Uint8Array {
  const counts = new Int32Array(SKETCH_BINS * 128);
  for (let at = 0; at < sketches.length; at++) counts[(at % SKETCH_BINS) * 128 + sketches[at]!]!++;
  const least = Math.max(LEAST_TEMPLATE_PAGES, size * TEMPLATE_SHARE);
  return Uint8Array.from({ length: size }, (_, place) => {
    let filled = 0;
    let shared = 0;
    for (let bin = 0; bin < SKETCH_BINS; bin++) {
      const letter = sketches[place * SKETCH_BINS + bin]!;
      if (letter === EMPTY_BIN) continue;
      filled++;
      if (counts[bin * 128 + letter]! >= least) shared++;
    }
    return filled === 0 ? 0 : Math.round((shared * 100) / filled);
  });
}
