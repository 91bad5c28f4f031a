/**
 * The include and exclude patterns that people write, and the two matchers behind them. Both take time linear in the
 * text, whatever the pattern: wildcards (robots.txt rules use them too) and regular expressions.
 *
 * - `/regex/` or `/regex/i`: a regular expression that may match anywhere in the URL.
 * - Otherwise a glob, which must match the whole text: `*` matches any characters, including slashes; every other character,
 *   including `?`, matches itself. A glob that begins with `/` is matched against path and query: `/blog/*`. Any other is
 *   matched against the whole URL: `*.pdf`, `https://example.com/shop/*`.
 */

import { RE2JS } from "re2js";
import { TrawlError } from "../errors.ts";
import { pathAndQueryOf } from "./url.ts";

export interface UrlFilter {
  /** As the user wrote it, to be shown as the rule that decided. */
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

const compiledLists = new WeakMap<readonly string[], readonly UrlFilter[]>();

/** The filters of a list; compiled once for all that use the same list. */
export function compileFilters(list: readonly string[]): readonly UrlFilter[] {
  const known = compiledLists.get(list) ?? list.map(compileFilter);
  compiledLists.set(list, known);
  return known;
}

// Wildcards

/** With a text or needle up to these lengths the built-in search is used: faster, and even its worst case is short. */
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

// Regular expressions

/**
 * A regular expression written by a user, run on an engine whose time is linear in the text (RE2), so that no filter
 * can hang the crawl: `(a+)+$` on a hostile URL takes JavaScript's own engine forever.
 *
 * JavaScript's own engine is never used. A source without any special character is a plain search of the text, which
 * took 10 ns per URL here where RE2 took 85, and up to 1,100 for other expressions.
 */
export interface SafeRegex {
  /** Whether the expression matches anywhere in the text. */
  test(text: string): boolean;
  /** Its capturing groups: their numbers from 1, and the names of those that have one. */
  readonly groups: readonly string[];
  /** What these groups matched, empty for a group that took no part; null when the expression does not match. */
  capture(text: string, groups: readonly string[]): string[] | null;
}

const SPECIAL = /[\\^$.*+?()[\]{}|]/;
const LOOK_AROUND = /\(\?(?:<?[=!])/;
const BACK_REFERENCE = /\\[1-9]|\\k</;

function fail(source: string, why: string, cause?: unknown): never {
  throw new TrawlError("BAD_CONFIG", `The regular expression /${source}/ cannot be used: ${why}`, { cause });
}

function engineFlags(source: string, flags: string): number {
  let value = 0;
  for (const flag of flags) {
    if (flag === "i") value |= RE2JS.CASE_INSENSITIVE;
    else if (flag === "m") value |= RE2JS.MULTILINE;
    else if (flag === "s") value |= RE2JS.DOTALL;
    else if (flag !== "u") fail(source, `the flag "${flag}" is not supported; i, m, s and u are.`);
  }
  return value;
}

/** Throws BAD_CONFIG with an explanation when the expression is invalid, or uses a feature that a linear engine lacks. */
export function safeRegex(source: string, flags: string): SafeRegex {
  const engine = engineFlags(source, flags);
  if (!SPECIAL.test(source) && !flags.includes("i")) {
    return {
      test: (text) => text.includes(source),
      groups: [],
      capture: (text) => (text.includes(source) ? [] : null),
    };
  }
  try {
    const compiled = RE2JS.compile(source, engine);
    const numbers = Array.from({ length: compiled.groupCount() }, (_, index) => String(index + 1));
    return {
      test: (text) => compiled.test(text),
      groups: [...numbers, ...Object.keys(compiled.namedGroups())],
      capture(text, groups) {
        const matcher = compiled.matcher(text);
        if (!matcher.find()) return null;
        return groups.map((group) => matcher.group(/^\d/.test(group) ? Number(group) : group) ?? "");
      },
    };
  } catch (error) {
    if (LOOK_AROUND.test(source)) fail(source, "look-ahead and look-behind are not supported.", error);
    if (BACK_REFERENCE.test(source)) fail(source, "back-references are not supported.", error);
    const reason = error instanceof Error ? error.message : String(error);
    return fail(source, `${reason.replace(/^error parsing regexp: /, "")}.`, error);
  }
}
