/**
 * A sketch of a text, for recognising nearly identical texts (minhash with one permutation). Every three consecutive
 * words become a number, which belongs to one of 128 bins, and each bin keeps its smallest number. The share of equal
 * bins is about the share of triples that two texts have in common.
 */

export const SKETCH_BINS = 128;
/** A bin without a number. */
export const EMPTY_BIN = 45;

/** Fewer words are not enough to compare. */
const LEAST_WORDS = 50;
/**
 * Longer texts are cut here: some 2,500 words identify a text, and sketching all of it cost a tenth of reading a page.
 */
const MOST_BYTES = 1 << 14;
const BIN_SHIFT = 25;
const VALUE_MASK = (1 << BIN_SHIFT) - 1;
const NOTHING = 0xffff_ffff;
/** 63 characters stand for the numbers, so two different numbers look equal once in 63 times. */
const LETTERS = Buffer.from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");

/** For each byte: 0 between words, 1 part of a word, 2 the first of a character that is a word by itself (Han, Kana, Hangul). */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0xe3 && byte <= 0xed) return 2;
  const isLetter = (byte | 32) >= 97 && (byte | 32) <= 122;
  return isLetter || (byte >= 48 && byte <= 57) || byte >= 0x80 ? 1 : 0;
});

const smallest = new Uint32Array(SKETCH_BINS);
const letters = Buffer.alloc(SKETCH_BINS);

/**
 * The parts of `text` from `ranges[0]` to `ranges[1]`, from `ranges[2]` to `ranges[3]` and so on; null when there are
 * too few words.
 */
export function textSketch(text: Buffer, ranges: ArrayLike<number>): string | null {
  smallest.fill(NOTHING);
  let words = 0;
  let [last, before] = [0, 0];
  const add = (word: number): void => {
    words++;
    let mixed = Math.imul(before, 0x2c1b3c6d) ^ Math.imul(last, 0x297a2d39) ^ word;
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    mixed = (mixed ^ (mixed >>> 16)) >>> 0;
    before = last;
    last = word;
    if (words < 3) return;
    const bin = mixed >>> BIN_SHIFT;
    const value = mixed & VALUE_MASK;
    if (value < smallest[bin]!) smallest[bin] = value;
  };
  for (let range = 0; range + 1 < ranges.length; range += 2) {
    const end = Math.min(ranges[range + 1]!, MOST_BYTES);
    let word = 0;
    for (let at = ranges[range]!; at < end; at++) {
      const byte = text[at]!;
      const kind = KINDS[byte]!;
      if (kind === 1) word = (Math.imul(word, 31) + (byte < 0x80 ? byte | 32 : byte)) | 0;
      else {
        if (word !== 0) add(word);
        word = 0;
        if (kind === 2) {
          add((byte << 16) | (text[at + 1]! << 8) | text[at + 2]!);
          at += 2;
        }
      }
    }
    if (word !== 0) add(word);
  }
  if (words < LEAST_WORDS) return null;
  for (let bin = 0; bin < SKETCH_BINS; bin++) {
    const value = smallest[bin]!;
    letters[bin] = value === NOTHING ? EMPTY_BIN : LETTERS[(Math.imul(value, 0x9e3779b1) >>> 8) % LETTERS.length]!;
  }
  return letters.toString("latin1");
}
