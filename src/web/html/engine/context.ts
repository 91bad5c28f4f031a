/** The words around a link: cut out of the visible text, which is UTF-8, by limits that count UTF-16 code units. */

import { SPACE } from "./characters.ts";

/** What `contextAround` has found. */
export let contextStart = 0;
export let contextEnd = 0;

/**
 * Finds the line from `start` to `end`; when it is longer than the limit, the words of it around `focus`. The time it
 * takes does not grow with the line, so that a thousand links in one line cost a thousand times one.
 */
export function contextAround(text: usize, start: i32, end: i32, focus: i32, limit: i32): void {
  contextStart = start;
  contextEnd = end;
  if (end - start > limit) {
    if (isAsciiAround(text, start, end, focus, limit)) cutAscii(text, start, end, focus, limit);
    else cutOther(text, start, end, focus, limit);
  }
  if (contextStart < contextEnd && byteAt(text, contextStart) === SPACE) contextStart++;
}

/** Where a text ends that has at most `limit` UTF-16 code units, and no half of a surrogate pair. */
export function cutEnd(text: usize, start: i32, end: i32, limit: i32): i32 {
  if (end - start <= limit) return end;
  let units = 0;
  let at = start;
  while (at < end) {
    const byte = byteAt(text, at);
    units += unitsOf(byte);
    if (units > limit) break;
    at += bytesOf(byte);
  }
  return at;
}

/** Nothing outside this part can become context, so where it is ASCII its bytes are its characters. */
function isAsciiAround(text: usize, start: i32, end: i32, focus: i32, limit: i32): bool {
  const to = min(end, focus + limit + 1);
  for (let at = max(start, focus - limit); at < to; at++) if (byteAt(text, at) >= 0x80) return false;
  return true;
}

function cutAscii(text: usize, start: i32, end: i32, focus: i32, limit: i32): void {
  contextStart = max(start, min(focus - (limit >> 2), end - limit));
  contextEnd = contextStart + limit;
  if (contextStart > start) beginAtWord(text, focus);
  if (contextEnd < end) endAtWord(text, focus);
}

/** The same with characters, in a part of the line that is certainly enough of it. */
function cutOther(text: usize, start: i32, end: i32, focus: i32, limit: i32): void {
  const first = characterStart(text, max(start, focus - 4 * limit - 4), end);
  const last = characterStart(text, min(end, focus + 4 * limit + 4), end);
  const units = unitsIn(text, first, last);
  if (units <= limit && first === start && last === end) return;
  const from = max(0, min(unitsIn(text, first, focus) - (limit >> 2), units - limit));
  contextStart = unitAt(text, first, last, from, true);
  contextEnd = unitAt(text, first, last, from + limit, false);
  if (from > 0 || first > start) beginAtWord(text, focus);
  if (from + limit < units || last < end) endAtWord(text, focus);
}

/** Whole words, where there are spaces. */
function beginAtWord(text: usize, focus: i32): void {
  let space = contextStart;
  while (space < focus && byteAt(text, space) !== SPACE) space++;
  if (space < focus) contextStart = space;
}

function endAtWord(text: usize, focus: i32): void {
  let space = contextEnd;
  while (space > focus && byteAt(text, space) !== SPACE) space--;
  if (space > focus) contextEnd = space;
}

/** Where the character begins that has the code unit `unit`; or, of the second half of one, the next. */
function unitAt(text: usize, first: i32, last: i32, unit: i32, next: bool): i32 {
  let units = 0;
  let at = first;
  while (at < last && units < unit) {
    const byte = byteAt(text, at);
    if (!next && units + unitsOf(byte) > unit) return at;
    units += unitsOf(byte);
    at += bytesOf(byte);
  }
  return at;
}

function unitsIn(text: usize, from: i32, to: i32): i32 {
  let units = 0;
  for (let at = from; at < to; at += bytesOf(byteAt(text, at))) units += unitsOf(byteAt(text, at));
  return units;
}

/** The beginning of the character that has a byte here; behind the text, nothing does. */
function characterStart(text: usize, at: i32, end: i32): i32 {
  let start = at;
  while (start < end && (byteAt(text, start) & 0xc0) === 0x80) start--;
  return start;
}

function unitsOf(byte: i32): i32 {
  return byte >= 0xf0 ? 2 : 1;
}

function bytesOf(byte: i32): i32 {
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

function byteAt(text: usize, at: i32): i32 {
  return <i32>load<u8>(text + at);
}
