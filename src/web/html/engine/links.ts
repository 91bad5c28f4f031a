/** The links of the page: added as tags come, given their text and the words around them once all text is known. */
import {
  ANCHOR,
  CONTEXT_END,
  CONTEXT_START,
  DECODED,
  FLAGS,
  HREF_END,
  HREF_START,
  IN_HEAD,
  PAGE_LINK_STRIDE,
  PATH,
  POSITION,
  TEXT_END,
  TEXT_START,
  TYPE,
} from "../link-rows.ts";
import { byteAt, moveTo, SPACE } from "./page.ts";
import { pathPlace } from "./paths.ts";
import { position } from "./stack.ts";
import { visible, visibleBytes } from "./visible-text.ts";

/** Unknown, or none: links in the head have no text around them. */
const NONE = -1;
/** In `TYPE` while the page is read: the link already has its text. */
const DESCRIBED = 1 << 8;
const ROW_BYTES = PAGE_LINK_STRIDE * 4;
const FIRST_ROOM = 4_096;

/** Until `describeLinks`, `CONTEXT_START` and `CONTEXT_END` are those of the link's line of text. */
export let rows: usize = 0;
export let linkCount = 0;
/** Links beyond the limit. */
export let linksLeftOut = 0;
let room = 0;
let mostLinks = 0;
let mostText = 0;
let mostContext = 0;
/** Where the current line of text began. */
let lineStart = 0;
/** The links before this number know where their line ends, except for the two below. */
let settled = 0;
/** The anchor that is open: its line ends only after it does. */
export let anchor = NONE;
/** An anchor that a line ended inside of, and that has closed since. */
let lateAnchor = NONE;

export function limitLinks(links: i32, text: i32, context: i32): void {
  mostLinks = links;
  mostText = text;
  mostContext = context;
}

export function clearLinks(): void {
  linkCount = 0;
  linksLeftOut = 0;
  lineStart = 0;
  settled = 0;
  anchor = NONE;
  lateAnchor = NONE;
}

/** Whether there is no room for a link that is about to be added: then it is only counted. */
export function isFull(): bool {
  if (linkCount < mostLinks) return false;
  linksLeftOut++;
  return true;
}

/** Adds a link of the current element; `href` is the number of its decoded address. Returns the link's number, or -1. */
export function addLink(href: i32, type: i32, rel: i32): i32 {
  return isFull() ? NONE : push(href, DECODED, type, rel);
}

/** Adds an anchor, whose text is everything until `closeAnchor`. An empty href links to the page itself. */
export function openDecodedAnchor(href: i32, rel: i32): void {
  openText(push(href, DECODED, ANCHOR, rel));
}

/** The same for an href that can be used as written. */
export function openPlainAnchor(start: i32, end: i32, rel: i32): void {
  let from = start;
  let to = end;
  while (from < to && byteAt(from) <= SPACE) from++;
  while (to > from && byteAt(to - 1) <= SPACE) to--;
  openText(push(from, to, ANCHOR, rel));
}

export function closeAnchor(): void {
  if (anchor === NONE) return;
  set(anchor, TEXT_END, visibleBytes);
  if (anchor < settled) lateAnchor = anchor;
  anchor = NONE;
}

/** Ends the line of text: the links in it now know their context. Each link is visited once. */
export function endLine(): void {
  if (lateAnchor !== NONE) {
    set(lateAnchor, CONTEXT_END, visibleBytes);
    lateAnchor = NONE;
  }
  for (; settled < linkCount; settled++) set(settled, CONTEXT_END, visibleBytes);
  lineStart = visibleBytes;
}

/** The page has ended. */
export function endLinks(): void {
  closeAnchor();
  endLine();
}

/** Gives every link its text and context, except those that already have them. */
export function describeLinks(): void {
  for (let link = 0; link < linkCount; link++) {
    const type = get(link, TYPE);
    if ((type & DESCRIBED) !== 0) set(link, TYPE, type ^ DESCRIBED);
    else describe(link, 0, 0);
  }
}

/** The same for one link with an `alt`, which replaces a missing text. Its offsets count like those of visible text. */
export function describeByAlt(link: i32, altStart: i32, altEnd: i32): void {
  describe(link, altStart, altEnd);
  set(link, TYPE, get(link, TYPE) | DESCRIBED);
}

function describe(link: i32, altStart: i32, altEnd: i32): void {
  let start = get(link, TEXT_START);
  let end = get(link, TEXT_END);
  const line = get(link, CONTEXT_START);
  // The space before the first word of an anchor is written with that word.
  if (start < end && load<u8>(visible + start) === SPACE) start++;
  const focus = start === NONE ? line : start;
  if (start >= end) {
    start = altStart;
    end = altEnd;
  }
  let from = 0;
  let to = 0;
  if (line !== NONE) {
    contextAround(visible, line, get(link, CONTEXT_END), focus, mostContext);
    from = contextStart;
    to = isSame(contextStart, contextEnd, start, end) ? contextStart : contextEnd;
  }
  set(link, CONTEXT_START, from);
  set(link, CONTEXT_END, to);
  set(link, TEXT_START, start);
  set(link, TEXT_END, cutEnd(visible, start, end, mostText));
}

function isSame(from: i32, to: i32, start: i32, end: i32): bool {
  if (to - from !== end - start) return false;
  if (from === start) return true;
  for (let offset = 0; offset < end - start; offset++) {
    if (load<u8>(visible + from + offset) !== load<u8>(visible + start + offset)) return false;
  }
  return true;
}

function openText(link: i32): void {
  anchor = link;
  set(link, TEXT_START, visibleBytes);
}

function push(hrefStart: i32, hrefEnd: i32, type: i32, rel: i32): i32 {
  if (linkCount === room) grow();
  const link = linkCount++;
  set(link, HREF_START, hrefStart);
  set(link, HREF_END, hrefEnd);
  set(link, TYPE, type);
  set(link, POSITION, position());
  set(link, FLAGS, rel);
  set(link, TEXT_START, NONE);
  set(link, TEXT_END, NONE);
  set(link, CONTEXT_START, position() === IN_HEAD ? NONE : lineStart);
  set(link, CONTEXT_END, NONE);
  set(link, PATH, pathPlace());
  return link;
}

function grow(): void {
  room = max(FIRST_ROOM, room * 2);
  rows = moveTo(room * ROW_BYTES, rows, linkCount * ROW_BYTES);
}

function get(link: i32, column: i32): i32 {
  return load<i32>(rows + link * ROW_BYTES + column * 4);
}

function set(link: i32, column: i32, value: i32): void {
  store<i32>(rows + link * ROW_BYTES + column * 4, value);
}

// The words around a link, cut out of the visible text. The text is UTF-8; the limits count UTF-16 code units.

/** What `contextAround` found. */
export let contextStart = 0;
export let contextEnd = 0;

/**
 * Finds the line from `start` to `end`, or the words around `focus` if the line is longer than the limit. The time does
 * not grow with the line, so a thousand links in one line cost a thousand times as much as one.
 */
export function contextAround(text: usize, start: i32, end: i32, focus: i32, limit: i32): void {
  contextStart = start;
  contextEnd = end;
  if (end - start > limit) {
    if (isAsciiAround(text, start, end, focus, limit)) cutAscii(text, start, end, focus, limit);
    else cutOther(text, start, end, focus, limit);
  }
  if (contextStart < contextEnd && textByte(text, contextStart) === SPACE) contextStart++;
}

/** Where to cut a text to at most `limit` UTF-16 code units, without splitting a surrogate pair. */
export function cutEnd(text: usize, start: i32, end: i32, limit: i32): i32 {
  if (end - start <= limit) return end;
  let units = 0;
  let at = start;
  while (at < end) {
    const byte = textByte(text, at);
    units += unitsOf(byte);
    if (units > limit) break;
    at += bytesOf(byte);
  }
  return at;
}

/** Only this part can become context; if it is ASCII, its bytes are its characters. */
function isAsciiAround(text: usize, start: i32, end: i32, focus: i32, limit: i32): bool {
  const to = min(end, focus + limit + 1);
  for (let at = max(start, focus - limit); at < to; at++) if (textByte(text, at) >= 0x80) return false;
  return true;
}

function cutAscii(text: usize, start: i32, end: i32, focus: i32, limit: i32): void {
  contextStart = max(start, min(focus - (limit >> 2), end - limit));
  contextEnd = contextStart + limit;
  if (contextStart > start) beginAtWord(text, focus);
  if (contextEnd < end) endAtWord(text, focus);
}

/** The same with characters, in a part of the line that is certainly long enough. */
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
  while (space < focus && textByte(text, space) !== SPACE) space++;
  if (space < focus) contextStart = space;
}

function endAtWord(text: usize, focus: i32): void {
  let space = contextEnd;
  while (space > focus && textByte(text, space) !== SPACE) space--;
  if (space > focus) contextEnd = space;
}

/** Where the character with code unit `unit` begins. For the second half of a pair: that character, or the next. */
function unitAt(text: usize, first: i32, last: i32, unit: i32, next: bool): i32 {
  let units = 0;
  let at = first;
  while (at < last && units < unit) {
    const byte = textByte(text, at);
    if (!next && units + unitsOf(byte) > unit) return at;
    units += unitsOf(byte);
    at += bytesOf(byte);
  }
  return at;
}

function unitsIn(text: usize, from: i32, to: i32): i32 {
  let units = 0;
  for (let at = from; at < to; at += bytesOf(textByte(text, at))) units += unitsOf(textByte(text, at));
  return units;
}

/** The beginning of the character that has a byte here; after the text, the place itself. */
function characterStart(text: usize, at: i32, end: i32): i32 {
  let start = at;
  while (start < end && (textByte(text, start) & 0xc0) === 0x80) start--;
  return start;
}

function unitsOf(byte: i32): i32 {
  return byte >= 0xf0 ? 2 : 1;
}

function bytesOf(byte: i32): i32 {
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

function textByte(text: usize, at: i32): i32 {
  return <i32>load<u8>(text + at);
}
