/** The words around a link: cut out of a page's text, which is UTF-8, by limits that count characters. */

const SPACE = 32;

/** A part of a text, as offsets in its bytes. */
export interface TextRange {
  from: number;
  to: number;
}

/**
 * Sets `range` to the line from `start` to `end`; when it is longer than the limit, to the words of it around `focus`.
 * The time it takes does not grow with the line, so that a thousand links in one line cost a thousand times one.
 */
export function contextAround(
  text: Buffer,
  start: number,
  end: number,
  focus: number,
  limit: number,
  range: TextRange,
): void {
  range.from = start;
  range.to = end;
  if (end - start > limit) {
    if (isAsciiAround(text, start, end, focus, limit)) cutAscii(text, start, end, focus, limit, range);
    else cutOther(text, start, end, focus, limit, range);
  }
  if (range.from < range.to && text[range.from] === SPACE) range.from++;
}

/** Where a text ends that has at most `limit` UTF-16 code units, and no half of a surrogate pair. */
export function cutEnd(text: Buffer, start: number, end: number, limit: number): number {
  if (end - start <= limit) return end;
  let units = 0;
  let at = start;
  while (at < end) {
    const byte = text[at]!;
    units += byte >= 0xf0 ? 2 : 1;
    if (units > limit) break;
    at += byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  }
  return at;
}

/** Nothing outside this part can become context, so where it is ASCII its bytes are its characters. */
function isAsciiAround(text: Buffer, start: number, end: number, focus: number, limit: number): boolean {
  const to = Math.min(end, focus + limit + 1);
  for (let at = Math.max(start, focus - limit); at < to; at++) if (text[at]! >= 0x80) return false;
  return true;
}

function cutAscii(text: Buffer, start: number, end: number, focus: number, limit: number, range: TextRange): void {
  let from = Math.max(start, Math.min(focus - (limit >> 2), end - limit));
  let to = from + limit;
  // Whole words, where there are spaces.
  if (from > start) {
    let space = from;
    while (space < focus && text[space] !== SPACE) space++;
    if (space < focus) from = space;
  }
  if (to < end) {
    let space = to;
    while (space > focus && text[space] !== SPACE) space--;
    if (space > focus) to = space;
  }
  range.from = from;
  range.to = to;
}

/** The same with characters, in a part of the line that is certainly enough of it. */
function cutOther(text: Buffer, start: number, end: number, focus: number, limit: number, range: TextRange): void {
  const first = characterStart(text, Math.max(start, focus - 4 * limit - 4));
  const last = characterStart(text, Math.min(end, focus + 4 * limit + 4));
  const line = text.toString("utf8", first, last);
  const middle = text.toString("utf8", first, focus).length;
  if (line.length <= limit && first === start && last === end) return;
  let from = Math.max(0, Math.min(middle - (limit >> 2), line.length - limit));
  let to = from + limit;
  if (from > 0 || first > start) {
    const space = line.indexOf(" ", from);
    if (space >= 0 && space < middle) from = space;
  }
  if (to < line.length || last < end) {
    const space = line.lastIndexOf(" ", to);
    if (space > middle) to = space;
  }
  if (isSecondHalf(line, from)) from++;
  if (isSecondHalf(line, to)) to--;
  range.from = first + Buffer.byteLength(line.slice(0, from));
  range.to = range.from + Buffer.byteLength(line.slice(from, to));
}

/** The beginning of the character that has a byte here. */
function characterStart(text: Buffer, at: number): number {
  let start = at;
  while (start > 0 && start < text.length && (text[start]! & 0xc0) === 0x80) start--;
  return start;
}

function isSecondHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
