/** How the document is built: counts of elements, heads and bodies, the order of headings, ids that occur twice. */
import {
  BOOKMARK_BYTES,
  DUPLICATE_FROM,
  DUPLICATE_IDS,
  DUPLICATE_TO,
  HAS_ITEMS,
  SHAPE_NUMBERS,
} from "../document-shape.ts";
import { ID_ATTRIBUTE, ITEMSCOPE_ATTRIBUTE, NAME_ATTRIBUTE, TYPEOF_ATTRIBUTE } from "../name-ids.ts";
import { has, valueEnd, valueStart } from "./attributes.ts";
import { addressOf, byteAt } from "./page.ts";
import { hashStep } from "./tags.ts";

/** TypeScript reads it too: see `../document-shape.ts`. */
export const shape: usize = memory.data(SHAPE_NUMBERS * 4, 4);

const AMPERSAND = 0x26;
/** Ids that are remembered: half of the slots, so that looking one up stays short. */
const SLOTS = 8192;
const MOST_IDS = SLOTS / 2;
/** Where each id begins and ends; an end of 0 is an empty slot. */
const ids: usize = memory.data(SLOTS * 8, 4);
let idCount = 0;

/**
 * What links can lead to, ids and names of anchors. Of each a blank and four letters, which `site/page/bookmarks.ts` makes of what links
 * say: enough to know whether there is one. As many as fit into a fact.
 */
const MOST_BOOKMARKS = 3276;
export const bookmarks: usize = memory.data(MOST_BOOKMARKS * BOOKMARK_BYTES);
/** How many there are; -1 when not all are known. */
export let bookmarkCount = 0;

export function clearShape(): void {
  memory.fill(shape, 0, SHAPE_NUMBERS * 4);
  if (idCount > 0) memory.fill(ids, 0, SLOTS * 8);
  idCount = 0;
  bookmarkCount = 0;
}

export function shapeOf(number: i32): i32 {
  return load<i32>(shape + number * 4);
}

export function setShape(number: i32, value: i32): void {
  store<i32>(shape + number * 4, value);
}

export function countShape(number: i32): void {
  setShape(number, shapeOf(number) + 1);
}

/** The current element describes a thing. */
export function noteItem(): void {
  if (has(ITEMSCOPE_ATTRIBUTE) || has(TYPEOF_ATTRIBUTE)) setShape(HAS_ITEMS, 1);
}

/** Remembers where links can lead to: the id of the current element, and the name of an anchor. */
export function notePlaces(isAnchor: bool): void {
  noteId();
  if (isAnchor && has(NAME_ATTRIBUTE)) noteBookmark(valueStart(NAME_ATTRIBUTE), valueEnd(NAME_ATTRIBUTE));
}

function noteBookmark(start: i32, end: i32): i32 {
  let hash = 0;
  let isKnown = true;
  for (let at = start; at < end; at++) {
    const byte = byteAt(at);
    // A character reference stands for something else than these letters.
    if (byte === AMPERSAND) isKnown = false;
    hash = hashStep(hash, byte);
  }
  if (!isKnown || bookmarkCount === MOST_BOOKMARKS) bookmarkCount = -1;
  if (bookmarkCount >= 0) writeBookmark(bookmarks + BOOKMARK_BYTES * bookmarkCount++, hash);
  return hash;
}

function writeBookmark(place: usize, hash: i32): void {
  const bits = hash ^ (hash >>> 24);
  store<u8>(place, 0x20);
  for (let letter = 0; letter < 4; letter++) store<u8>(place + 1 + letter, letterOf((bits >>> (18 - 6 * letter)) & 63));
}

/** A-Z, a-z, 0-9, - and _. */
function letterOf(value: i32): u8 {
  if (value < 26) return <u8>(value + 65);
  if (value < 52) return <u8>(value + 71);
  if (value < 62) return <u8>(value - 4);
  return value === 62 ? 45 : 95;
}

function noteId(): void {
  if (!has(ID_ATTRIBUTE)) return;
  const start = valueStart(ID_ATTRIBUTE);
  const end = valueEnd(ID_ATTRIBUTE);
  if (start === end) return;
  const hash = noteBookmark(start, end);
  let slot = hash & (SLOTS - 1);
  while (true) {
    const place = ids + slot * 8;
    const knownEnd = load<i32>(place + 4);
    if (knownEnd === 0) {
      if (idCount === MOST_IDS) return;
      idCount++;
      store<i32>(place, start);
      store<i32>(place + 4, end);
      return;
    }
    const known = load<i32>(place);
    if (knownEnd - known === end - start && memory.compare(addressOf(known), addressOf(start), end - start) === 0) {
      if (shapeOf(DUPLICATE_IDS) === 0) {
        setShape(DUPLICATE_FROM, start);
        setShape(DUPLICATE_TO, end);
      }
      countShape(DUPLICATE_IDS);
      return;
    }
    slot = (slot + 1) & (SLOTS - 1);
  }
}
