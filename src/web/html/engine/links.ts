/** The links of the page: added as tags come, given their text and context once all text is known. */

import {
  ANCHOR,
  CONTEXT_END,
  CONTEXT_START,
  DECODED,
  HREF_END,
  HREF_START,
  IN_HEAD,
  PAGE_LINK_STRIDE,
  PATH,
  POSITION,
  REL,
  TEXT_END,
  TEXT_START,
  TYPE,
} from "../link-rows.ts";
import { SPACE } from "./characters.ts";
import { contextAround, contextEnd, contextStart, cutEnd } from "./context.ts";
import { moveTo } from "./memory.ts";
import { byteAt } from "./page.ts";
import { pathPlace } from "./paths.ts";
import { position } from "./stack.ts";
import { visible, visibleBytes } from "./visible-text.ts";

/** Not known yet, or none: links in the head have no text around them. */
const NONE = -1;
/** In `TYPE` while the page is read: the link has its text already. */
const DESCRIBED = 1 << 8;
const ROW_BYTES = PAGE_LINK_STRIDE * 4;
const FIRST_ROOM = 4_096;

/** Until `describeLinks`, `CONTEXT_START` and `CONTEXT_END` are those of the link's line of text. */
export let rows: usize = 0;
export let linkCount = 0;
export let linksTruncated = false;
let room = 0;
let mostLinks = 0;
let mostText = 0;
let mostContext = 0;
/** Where the current line of text began. */
let lineStart = 0;
/** The links before this number have their line's end, but for the two below. */
let settled = 0;
/** The anchor that is open: its line ends only after it does. */
export let anchor = NONE;
/** An anchor that a line ended inside of, closed since. */
let lateAnchor = NONE;

export function limitLinks(links: i32, text: i32, context: i32): void {
  mostLinks = links;
  mostText = text;
  mostContext = context;
}

export function clearLinks(): void {
  linkCount = 0;
  linksTruncated = false;
  lineStart = 0;
  settled = 0;
  anchor = NONE;
  lateAnchor = NONE;
}

/** No link can be added; then the page has more than the limit. */
export function isFull(): bool {
  if (linkCount < mostLinks) return false;
  linksTruncated = true;
  return true;
}

/** Adds a link of the current element whose href is the one decoded as number `href`; its own number, or -1. */
export function addLink(href: i32, type: i32, rel: i32): i32 {
  return isFull() ? NONE : push(href, DECODED, type, rel);
}

/** Adds an anchor, whose text is what comes until `closeAnchor`. An empty href is a link to the page itself. */
export function openDecodedAnchor(href: i32, rel: i32): void {
  openText(push(href, DECODED, ANCHOR, rel));
}

/** The same for an href that stands in the page as it is. */
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

/** Ends the line of text: the links in it now know their context. Each link is looked at once. */
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

/** Gives every link its text and context, but for those that have them already. */
export function describeLinks(): void {
  for (let link = 0; link < linkCount; link++) {
    const type = get(link, TYPE);
    if ((type & DESCRIBED) !== 0) set(link, TYPE, type ^ DESCRIBED);
    else describe(link, 0, 0);
  }
}

/** The same for one link that has an `alt`, which stands for it when it has no text; `alt` counts like visible text. */
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
  set(link, REL, rel);
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
