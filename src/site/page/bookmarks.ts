/**
 * The places in a page that links can lead to: ids of elements and names of anchors. Only a short print of each is
 * stored, because a crawl has millions of them and only needs to know whether one exists. Two places that share a print
 * can hide a broken link, but nothing else.
 */

/** The print of a place, by its name in UTF-8, as the HTML engine makes it (`web/html/engine/shape.ts`). */
export function bookmarkPrint(bytes: Buffer, start = 0, end = bytes.length): string {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  const bits = hash ^ (hash >>> 24);
  // The blank keeps two neighbours from looking like a third.
  return ` ${LETTERS[(bits >>> 18) & 63]}${LETTERS[(bits >>> 12) & 63]}${LETTERS[(bits >>> 6) & 63]}${LETTERS[bits & 63]}`;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** A place that a link leads to, with its prints: as written and, if different, decoded. */
export type FragmentPrints = [written: string, decoded: string];

/** Null for what is not a place in the page: its top, a script's route, or a text to highlight (`:~:`). */
export function fragmentPrints(fragment: string): FragmentPrints | null {
  if (fragment === "" || /^(?:top$|[/!]|.*(?::~:|[=?&]))/i.test(fragment)) return null;
  const written = bookmarkPrint(Buffer.from(fragment));
  return [written, fragment.includes("%") ? bookmarkPrint(Buffer.from(decoded(fragment))) : written];
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
