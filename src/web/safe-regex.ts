/**
 * Regular expressions that people write, run on an engine whose time is linear in the text (RE2), so that no filter can
 * hang the crawl: `(a+)+$` on a hostile URL takes JavaScript's own engine forever.
 *
 * JavaScript's own engine is never used. A source without any special character is a plain search of the text, which
 * took 10 ns per URL here where RE2 took 85, and up to 1,100 for other expressions.
 */

import { RE2JS } from "re2js";
import { TrawlError } from "../errors.ts";

export interface SafeRegex {
  /** Whether the expression matches anywhere in the text. */
  test(text: string): boolean;
  /** Its capturing groups: their numbers from 1, and the names of named groups. */
  readonly groups: readonly string[];
  /** What these groups matched, empty for a group that took no part; null when the expression does not match. */
  capture(text: string, groups: readonly string[]): string[] | null;
}

const SPECIAL = /[\\^$.*+?()[\]{}|]/;
/** `{8}`, `{1,20}` or `{3,}`, and whether it repeats a group; not `\\x{41}`. */
const REPETITION = /(\)?)(?<!\\x)\{(\d+)(?:,(\d*))?\}/g;
/** The engine refuses more, also of groups inside each other. */
const MOST_REPETITIONS = 1_000;
/** Takes some 50 ms to compile. A list of words of 4,000 characters, the longest setting, stays within it. */
const MOST_STEPS = 10_000;
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

/**
 * The most steps an expression may compile to. A count in braces writes out what it repeats: the 14 characters
 * `a{1000}b{1000}` are 2,000 steps, and 4,000 characters of that take seconds. Groups may be nested; everything else is
 * one step.
 */
export function regexSize(source: string): number {
  let [groups, single] = [1, 0];
  for (const [, group, least, most] of source.matchAll(REPETITION)) {
    const times = Math.max(1, Number(most || least));
    if (group === "") single += times;
    else groups = Math.min(MOST_REPETITIONS, groups * times);
  }
  return groups * (source.length + single);
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
  const size = regexSize(source);
  if (size > MOST_STEPS) {
    const shown = source.length > 100 ? `${source.slice(0, 100)}…` : source;
    fail(
      shown,
      `it stands for up to ${size.toLocaleString("en-US")} steps, because of its length or of counts such as {1000}; ${MOST_STEPS.toLocaleString("en-US")} at most.`,
    );
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
