/**
 * Finds a key in a sorted file whose keys are spread like hashes: where it is can be guessed, and a page that was read says how far off the
 * guess was. So two reads are usual, however many keys there are.
 */

/** A page of the file. Places in it are counted from 0. */
export interface Pages {
  /** Reads the page around a record, within bounds. */
  load(record: number, low: number, high: number): void;
  /** The record at the first place, and how many there are. */
  readonly first: number;
  readonly loaded: number;
  /** The key at a place against the wanted one: negative when it comes before it. */
  compare(place: number): number;
  /** Where the key at a place is among all that could be, from 0 to 1. */
  shareAt(place: number): number;
}

/** A second guess is off by 60 records or so in a file of 43 million: this many around it nearly always have the key. */
export const PAGE_RECORDS = 272;
/** After so many guesses the keys are not spread like hashes, and the rest is halved. */
const MOST_GUESSES = 6;

/** The page around a record, within bounds. */
export function pageAround(record: number, low: number, high: number): { first: number; loaded: number } {
  const first = Math.max(low, Math.min(record - (PAGE_RECORDS >>> 1), high - PAGE_RECORDS));
  return { first, loaded: Math.min(PAGE_RECORDS, high - first) };
}

/**
 * The first record from `begin` to `end` that is not before the wanted one; it is in the page unless it is between two pages, or all are before
 * it. `share`: of the wanted key.
 */
export function searchPages(pages: Pages, share: number, begin: number, end: number): number {
  let [low, high] = [begin, end];
  let guess = begin + share * (end - begin);
  for (let guesses = 1; low < high; guesses++) {
    pages.load(Math.max(low, Math.min(high - 1, Math.floor(guess))), low, high);
    const last = pages.loaded - 1;
    const isBefore = pages.compare(0) > 0;
    if (!isBefore && pages.compare(last) >= 0) return pages.first + firstNotBefore(pages);
    if (isBefore) high = pages.first;
    else low = pages.first + pages.loaded;
    const off = (share - pages.shareAt(isBefore ? 0 : last)) * (end - begin);
    guess = guesses < MOST_GUESSES ? (isBefore ? high : low - 1) + off : (low + high) / 2;
  }
  return low;
}

function firstNotBefore(pages: Pages): number {
  let [low, high] = [0, pages.loaded];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (pages.compare(middle) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of a key that is a hash, by its first six bytes. */
export const shareOf = (bytes: Buffer, at: number): number =>
  (bytes.readUInt32BE(at) * 2 ** 16 + bytes.readUInt16BE(at + 4)) / 2 ** 48;
