/** Finds URLs that repeat themselves, such as `/a/b/a/b/a/b`: a trap that makes a site endless. */
import { pathAndQueryOf } from "./url.ts";

const SLASH = 0x2f;
const AMPERSAND = 0x26;
const QUESTION = 0x3f;

function quote(text: string): string {
  return `"${text.length > 60 ? `${text.slice(0, 57)}…` : text}"`;
}

/** The part that is repeated most often. */
function mostRepeated(parts: readonly string[]): { part: string; count: number } {
  const counts = new Map<string, number>();
  let part = "";
  let most = 0;
  for (const candidate of parts) {
    const count = (counts.get(candidate) ?? 0) + 1;
    counts.set(candidate, count);
    if (count > most) {
      most = count;
      part = candidate;
    }
  }
  return { part, count: most };
}

/**
 * Finds a run of two or more segments that is repeated `times` times. No segment occurs more than `times` times (that is
 * reported before), so all occurrences of a segment in such a run are evenly spaced by the length of the run. One look at the
 * positions of each segment is enough, so the time is linear.
 */
function findRun(segments: readonly string[], times: number): string | null {
  const places = new Map<string, number[]>();
  segments.forEach((segment, index) => {
    const known = places.get(segment);
    if (known === undefined) places.set(segment, [index]);
    else known.push(index);
  });
  let previousGap = 0;
  let length = 0;
  for (let index = 0; index < segments.length; index++) {
    const own = places.get(segments[index]!)!;
    const gap = own[0] === index && own.length === times ? own[1]! - own[0] : 0;
    const even = gap > 0 && own.every((place, order) => order === 0 || place - own[order - 1]! === gap);
    length = even && gap === previousGap ? length + 1 : even ? 1 : 0;
    previousGap = even ? gap : 0;
    if (even && gap > 1 && length === gap) return `/${segments.slice(index - gap + 1, index + 1).join("/")}`;
  }
  return null;
}

/**
 * Returns null, or the rule that the URL breaks, in words: one path segment more than `maxRepeats` times, a run of
 * segments `maxRepeats` times in a row, or one `key=value` pair more than `maxRepeats` times.
 */
export function detectTrap(url: string, maxRepeats = 3): string | null {
  const text = pathAndQueryOf(url);
  let slashes = 0;
  let pairs = 0;
  let pathEnd = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === SLASH && pathEnd === text.length) slashes++;
    else if (code === AMPERSAND) pairs++;
    else if (code === QUESTION && pathEnd === text.length) {
      pathEnd = index;
      pairs = 1;
    }
  }
  if (slashes > maxRepeats) {
    const segments = text.slice(1, pathEnd).split("/");
    const { part, count } = mostRepeated(segments);
    if (count > maxRepeats) return `path segment ${quote(part)} occurs ${count} times (limit ${maxRepeats})`;
    const run = maxRepeats > 1 && count === maxRepeats ? findRun(segments, maxRepeats) : null;
    if (run !== null) return `path run ${quote(run)} occurs ${maxRepeats} times in a row`;
  }
  if (pairs > maxRepeats) {
    const { part, count } = mostRepeated(text.slice(pathEnd + 1).split("&"));
    if (count > maxRepeats) return `query pair ${quote(part)} occurs ${count} times (limit ${maxRepeats})`;
  }
  return null;
}
