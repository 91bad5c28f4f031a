/**
 * The include and exclude patterns that people write, and the wildcards that robots.txt rules use too. Both run in time
 * linear in the text, whatever the pattern.
 *
 * ⏎ - `/regex/` or `/regex/i`: a regular expression that may match anywhere in the URL.
 * - Otherwise a glob, which must match the whole text: `*` matches any characters, including slashes; every other
 *   character, including `?`, matches itself. A glob that begins with `/` is matched against path and query: `/blog/*`.
 *   Any other is matched against the whole URL: `*.pdf`, `https://example.com/shop/*`.
 */

import { TrawlError } from "../errors.ts";
import { regexSize, safeRegex } from "./safe-regex.ts";
import { pathAndQueryOf } from "./url.ts";

export interface UrlFilter {
  /** As the user wrote it, to show which rule decided. */
  readonly written: string;
  matches(url: string): boolean;
}

const REGEX_FORM = /^\/(.+)\/(i?)$/s;

export function compileFilter(written: string): UrlFilter {
  const regex = REGEX_FORM.exec(written);
  if (regex !== null) {
    const expression = safeRegex(regex[1]!, regex[2]!);
    return { written, matches: (url) => expression.test(url) };
  }
  const matches = compileWildcard(written, true);
  return written.startsWith("/") ? { written, matches: (url) => matches(pathAndQueryOf(url)) } : { written, matches };
}

/** The largest total size of one list's regular expressions: about 2,000 of average length. */
const MOST_OF_LIST = 1_000_000;
/** Compiling runs for this long before it yields to other work. */
const TURN_MS = 10;

/** The total size of a list's regular expressions, as `regexSize` counts. */
export const listSize = (list: readonly string[]): number =>
  list.reduce((sum, written) => sum + regexSize(REGEX_FORM.exec(written)?.[1] ?? ""), 0);

/** Throws BAD_CONFIG if a list's regular expressions are too large together. */
export function checkListSize(list: readonly string[]): void {
  const size = listSize(list);
  if (size <= MOST_OF_LIST) return;
  throw new TrawlError(
    "BAD_CONFIG",
    `the regular expressions stand for ${size.toLocaleString("en-US")} steps together; ${MOST_OF_LIST.toLocaleString("en-US")} at most. Globs such as */tag/* have no such limit.`,
  );
}

const compiledLists = new WeakMap<readonly string[], readonly UrlFilter[]>();

/** A list's filters, compiled once for every user of the same list. */
export function compileFilters(list: readonly string[]): readonly UrlFilter[] {
  const known = compiledLists.get(list) ?? list.map(compileFilter);
  compiledLists.set(list, known);
  return known;
}

/**
 * Compiles a list's filters ahead of time and yields now and then, because a server compiling 2,000 patterns would not
 * answer.
 */
export async function prepareFilters(list: readonly string[]): Promise<void> {
  if (compiledLists.has(list)) return;
  checkListSize(list);
  const compiled: UrlFilter[] = [];
  let began = performance.now();
  for (const written of list) {
    compiled.push(compileFilter(written));
    if (performance.now() - began < TURN_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = performance.now();
  }
  compiledLists.set(list, compiled);
}

// Wildcards

/**
 * The built-in search is used for texts and needles up to these lengths: it is faster, and even its worst case is
 * short.
 */
const SHORT_TEXT = 256;
const SHORT_NEEDLE = 16;

/** The Knuth-Morris-Pratt table: for each position, how much of the needle can be kept after a mismatch. */
function failureTable(needle: string): Uint32Array {
  const table = new Uint32Array(needle.length);
  let kept = 0;
  for (let index = 1; index < needle.length; index++) {
    const code = needle.charCodeAt(index);
    while (kept > 0 && needle.charCodeAt(kept) !== code) kept = table[kept - 1]!;
    if (needle.charCodeAt(kept) === code) kept++;
    table[index] = kept;
  }
  return table;
}

/** `indexOf` that stays linear on long hostile input, where the built-in one took a millisecond for 2,000 characters. */
function createSearch(needle: string): (text: string, from: number) => number {
  let table: Uint32Array | null = null;
  return (text, from) => {
    if (text.length <= SHORT_TEXT || needle.length <= SHORT_NEEDLE) return text.indexOf(needle, from);
    table ??= failureTable(needle);
    let matched = 0;
    for (let index = from; index < text.length; index++) {
      const code = text.charCodeAt(index);
      while (matched > 0 && needle.charCodeAt(matched) !== code) matched = table[matched - 1]!;
      if (needle.charCodeAt(matched) === code) matched++;
      if (matched === needle.length) return index - matched + 1;
    }
    return -1;
  };
}

/**
 * Compiles a pattern in which `*` matches any characters, or none. It is anchored at the start of the text, and with `toEnd`
 * also at its end. Taking the leftmost match of each piece between stars is enough, so nothing is ever tried twice.
 */
export function compileWildcard(pattern: string, toEnd: boolean): (text: string) => boolean {
  const pieces = pattern.split("*");
  const first = pieces[0]!;
  if (pieces.length === 1) return toEnd ? (text) => text === first : (text) => text.startsWith(first);
  // With `toEnd`, what follows the last star must match at the very end; otherwise it is a piece like any other.
  const last = toEnd ? pieces.pop()! : "";
  const middle = pieces.slice(1).filter((piece) => piece !== "");
  const searches = middle.map(createSearch);
  return (text) => {
    if (!text.startsWith(first)) return false;
    let position = first.length;
    for (let index = 0; index < middle.length; index++) {
      const found = searches[index]!(text, position);
      if (found < 0) return false;
      position = found + middle[index]!.length;
    }
    return text.length - last.length >= position && text.endsWith(last);
  };
}
