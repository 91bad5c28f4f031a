/**
 * The places in a page that links can lead to: ids of elements and names of anchors. Of each only a short print is stored, because a
 * crawl has millions and needs to know no more than whether there is one: two that share a print hide at most a broken link.
 */

/** A blank before each print keeps two neighbours from looking like a third. Characters. */
const PRINT = 5;
/** As much as is kept of any text. */
const MOST = 16_384;

/** Null when they are not all known. */
export function bookmarkPrints(hashes: readonly number[] | null): string | null {
  if (hashes === null || hashes.length * PRINT > MOST) return null;
  return hashes.map((hash) => printOf(hash)).join("");
}

export const printOfFragment = (fragment: string): string => printOf(hashOf(Buffer.from(fragment)));

/** As the HTML engine makes it: see `web/html/engine/shape.ts`. */
function hashOf(bytes: Buffer): number {
  let hash = 0;
  for (const byte of bytes) hash = (Math.imul(hash, 31) + byte) | 0;
  return hash;
}

/** 24 of its bits in four letters. */
function printOf(hash: number): string {
  const bits = hash ^ (hash >>> 24);
  return ` ${LETTERS[(bits >>> 18) & 63]}${LETTERS[(bits >>> 12) & 63]}${LETTERS[(bits >>> 6) & 63]}${LETTERS[bits & 63]}`;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** A place that a link leads to, with its prints: as written, and decoded if that differs. */
export type FragmentPrints = [written: string, decoded: string];

/** Null for what is not a place in the page: its top, a route of scripts, a text to be highlighted (`:~:`). */
export function fragmentPrints(fragment: string): FragmentPrints | null {
  if (fragment === "" || /^(?:top$|[/!]|.*(?::~:|[=?&]))/i.test(fragment)) return null;
  const written = printOfFragment(fragment);
  return [written, fragment.includes("%") ? printOfFragment(decoded(fragment)) : written];
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
