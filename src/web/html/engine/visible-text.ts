/** The visible text of the page as UTF-8: decoded, its white space collapsed, its words counted, its headings found. */

import { H1 } from "../name-ids.ts";
import * as host from "./host.ts";
import {
  AMPERSAND,
  addressOf,
  allocate,
  DOUBLE_QUOTE,
  GREATER_THAN,
  isDigit,
  LESS_THAN,
  moveTo,
  NUMBER_SIGN,
  length as pageLength,
  roomFor,
  SEMICOLON,
  SPACE,
} from "./page.ts";

export let visible: usize = 0;
/** Where the next character goes. A space may come before it. */
export let visibleBytes = 0;
export let words = 0;
/** UTF-8 bytes so far minus UTF-16 code units so far. */
let surplus = 0;
/** UTF-16 code units of text that the page hides. */
let hiddenUnits = 0;
let room = 0;
/** White space has come since the last character. */
let space = false;
let inWord = false;

let scratchAddress: usize = 0;
let scratchRoom = 0;

export function clearVisibleText(): void {
  if (longestText(pageLength) > room) {
    room = longestText(roomFor(pageLength));
    visible = allocate(room);
  }
  visibleBytes = 0;
  words = 0;
  turnCount = 0;
  surplus = 0;
  hiddenUnits = 0;
  space = false;
  inWord = false;
}

/** Never longer than the page, except that a reference of five bytes may stand for six: `&nGt;`. */
function longestText(bytes: i32): i32 {
  return bytes + (bytes >> 2) + 64;
}

/** In UTF-16 code units, as JavaScript counts. */
export function visibleLength(): i32 {
  return visibleBytes - surplus - hiddenUnits;
}

/** Where the text of the page's own content begins and ends, again and again: the rest stands in landmarks around it. */
const MOST_TURNS = 512;
export const turns: usize = memory.data(MOST_TURNS * 4, 4);
export let turnCount = 0;

/** Text follows that is the page's own, or that is not. */
export function noteTurn(isOwn: bool): void {
  if (isOwn === ((turnCount & 1) !== 0) || turnCount === MOST_TURNS) return;
  store<i32>(turns + turnCount++ * 4, visibleBytes);
}

/** A byte of the text that TypeScript has passed in. */
export function scratchByte(at: i32): i32 {
  return <i32>load<u8>(scratchAddress + at);
}

/** Room for a text that TypeScript passes in. */
export function scratch(bytes: i32): usize {
  if (bytes > scratchRoom) {
    scratchRoom = bytes + (bytes >> 1);
    scratchAddress = allocate(scratchRoom);
  }
  return scratchAddress;
}

/** Room after the visible text for the `alt` of links without text. */
export function roomForAlts(bytes: i32): usize {
  if (visibleBytes + bytes > room) {
    room = visibleBytes + bytes;
    visible = moveTo(room, visible, visibleBytes);
  }
  return visible + visibleBytes;
}

/** Ends the word, as a block or a `<br>` does. */
export function breakWord(): void {
  space = true;
  inWord = false;
}

/** Text that the page hides: kept for the links and headings in it, but neither its words nor its length count. */
export function appendHiddenText(start: i32, end: i32, references: bool): void {
  const countedWords = words;
  const wasInWord = inWord;
  const before = visibleLength();
  appendText(start, end, references);
  hiddenUnits += visibleLength() - before;
  words = countedWords;
  inWord = wasInWord;
}

export function appendText(start: i32, end: i32, references: bool): void {
  const first = addressOf(start);
  const last = addressOf(end);
  let at = first;
  while ((at = copy(at, last, references)) < last) {
    const character = commonReference(at, last);
    if (character === 0) {
      const from = start + <i32>(at - first);
      const to = pieceEnd(from, end);
      const bytes = host.decode(from, to);
      copy(scratchAddress, scratchAddress + bytes, false);
      at = addressOf(to);
      continue;
    }
    appendCharacter(character);
    at += referenceBytes;
  }
}

/** TypeScript decodes texts in pieces: as one string, a text full of references would take twenty times its size. */
const PIECE_BYTES = 1 << 16;

/** Where a piece may end: before a space or the next reference, since no reference contains either. */
function pieceEnd(from: i32, end: i32): i32 {
  const last = addressOf(end);
  let at = addressOf(from) + PIECE_BYTES;
  while (at < last && byteAt(at) !== SPACE && byteAt(at) !== AMPERSAND) at++;
  return at < last ? from + <i32>(at - addressOf(from)) : end;
}

/** A character of at most two bytes. */
function appendCharacter(character: i32): void {
  const into = scratch(2);
  const bytes = character < 0x80 ? 1 : 2;
  if (bytes === 1) store<u8>(into, <u8>character);
  else store<u16>(into, <u16>(((0x80 | (character & 0x3f)) << 8) | 0xc0 | (character >> 6)));
  copy(into, into + bytes, false);
}

/** Copies valid UTF-8 up to `end`, or to the first "&" if `references`. Returns where it stopped. */
function copy(start: usize, end: usize, references: bool): usize {
  // Local copies, which the processor keeps in registers.
  let to = visible + visibleBytes;
  let isAfterSpace = space;
  let isInWord = inWord;
  let counted = words;
  let index = start;
  while (index < end) {
    let code = <i32>load<u8>(index);
    if (code <= SPACE) {
      index++;
      // A NUL is dropped (WHATWG HTML, 13.2.6.4.7): it separates nothing.
      if (code === 0) continue;
      isAfterSpace = true;
      isInWord = false;
      continue;
    }
    if (code === AMPERSAND && references) break;
    if (isAfterSpace) {
      isAfterSpace = false;
      if (to > visible) store<u8>(to++, SPACE);
    }
    if (code < 0x80) {
      // A run of ASCII without white space: nearly all text is this.
      do {
        store<u8>(to++, <u8>code);
        if (!isInWord && isAsciiWord(code)) {
          isInWord = true;
          counted++;
        }
        index++;
        if (index >= end) break;
        code = <i32>load<u8>(index);
      } while (code > SPACE && code < 0x80 && code !== AMPERSAND);
      continue;
    }
    const size = code >= 0xf0 ? 4 : code >= 0xe0 ? 3 : 2;
    const role = wordRole(codePoint(index, size));
    for (const last = index + size; index < last; index++) store<u8>(to++, load<u8>(index));
    // Four bytes of UTF-8 are two code units; any fewer are one.
    surplus += size === 4 ? 2 : size - 1;
    if (role === WORD_BY_ITSELF || (role === PART_OF_WORD && !isInWord)) counted++;
    if (role === PART_OF_WORD) isInWord = true;
    else if (role === WORD_BY_ITSELF || role === BETWEEN_WORDS) isInWord = false;
  }
  visibleBytes = <i32>(to - visible);
  space = isAfterSpace;
  inWord = isInWord;
  words = counted;
  return index;
}

function codePoint(at: usize, size: i32): i32 {
  let code = <i32>load<u8>(at) & (0xff >> (size + 1));
  for (let offset = 1; offset < size; offset++) code = (code << 6) | (<i32>load<u8>(at + offset) & 0x3f);
  return code;
}

// Headings of the first two levels: how many there are, and where the text of the first of each is.

/** Count, kept with the first; where its text begins and ends; the level where it is open, or -1. */
const COUNT = 0;
const START = 4;
const END = 8;
const LEVEL = 12;
const HEADING_BYTES = 16;
/** The first and the second heading of a kind. */
const KIND_BYTES = HEADING_BYTES * 2;
const ALL_BYTES = KIND_BYTES * 2;

/** h1, then h2. TypeScript reads the first three numbers of each. */
export const headings: usize = memory.data(ALL_BYTES, 4);

export function clearHeadings(): void {
  memory.fill(headings, 0, ALL_BYTES);
  for (let at = headings; at < headings + ALL_BYTES; at += HEADING_BYTES) store<i32>(at + LEVEL, -1);
}

/** A heading begins; `level` is -1 when it has no end tag. */
export function openHeading(tag: i32, level: i32): void {
  let at = headings + (tag === H1 ? 0 : KIND_BYTES);
  const count = load<i32>(at + COUNT) + 1;
  store<i32>(at + COUNT, count);
  if (count > 2) return;
  if (count === 2) at += HEADING_BYTES;
  store<i32>(at + LEVEL, level);
  store<i32>(at + START, visibleBytes);
  store<i32>(at + END, visibleBytes);
}

/** The elements at this level and above have ended. */
export function headingsClosed(level: i32): void {
  for (let at = headings; at < headings + ALL_BYTES; at += HEADING_BYTES) {
    if (load<i32>(at + LEVEL) < level) continue;
    store<i32>(at + LEVEL, -1);
    store<i32>(at + END, visibleBytes);
  }
}

/** The element at this level has ended, and those above have moved down. */
export function headingsMovedDown(level: i32): void {
  for (let at = headings; at < headings + ALL_BYTES; at += HEADING_BYTES) {
    if (load<i32>(at + LEVEL) > level) store<i32>(at + LEVEL, load<i32>(at + LEVEL) - 1);
  }
}

// The character references that most pages use. TypeScript decodes all others.

const NO_BREAK_SPACE = 0xa0;

/** "lt;", "gt;", "amp;", "quot" and "nbsp" as numbers: the first letter is the lowest byte. */
const LT = 0x3b746c;
const GT = 0x3b7467;
const AMP = 0x3b706d61;
const QUOT = 0x746f7571;
const NBSP = 0x7073626e;

/** The length of the last one, from "&" to ";". */
export let referenceBytes = 0;

/** The character that the reference at this address stands for, or 0 for any other reference. */
export function commonReference(at: usize, end: usize): i32 {
  if (at + 5 > end) return 0;
  const four = load<u32>(at + 1);
  if (four === AMP) return found(AMPERSAND, 5);
  if ((four & 0xffffff) === LT) return found(LESS_THAN, 4);
  if ((four & 0xffffff) === GT) return found(GREATER_THAN, 4);
  // Two digits: `&#39;`, which programs write for an apostrophe.
  const tens = byteAt(at + 2);
  const ones = byteAt(at + 3);
  if (byteAt(at + 1) === NUMBER_SIGN && isDigit(tens) && isDigit(ones) && byteAt(at + 4) === SEMICOLON) {
    return found((tens - 48) * 10 + ones - 48, 5);
  }
  if (at + 6 > end || byteAt(at + 5) !== SEMICOLON) return 0;
  if (four === QUOT) return found(DOUBLE_QUOTE, 6);
  if (four === NBSP) return found(NO_BREAK_SPACE, 6);
  return 0;
}

function found(character: i32, bytes: i32): i32 {
  referenceBytes = bytes;
  return character;
}

function byteAt(at: usize): i32 {
  return <i32>load<u8>(at);
}

// Which characters make words, so that they can be counted without a dictionary.

/** What a character does to the count. */
export const BETWEEN_WORDS = 0;
export const PART_OF_WORD = 1;
export const WORD_BY_ITSELF = 2;
/** Punctuation and symbols: they neither begin a word nor end one. */
export const NO_WORD = 3;

/** ASCII letters and digits: a run without white space counts as a word when it contains one. */
export function isAsciiWord(code: i32): bool {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57);
}

/** The same for a character above ASCII. Han and Kana are written without spaces, so each counts as a word. */
export function wordRole(code: i32): i32 {
  if (code < 0xc0) {
    if (code === 0xa0 || code === 0x85) return BETWEEN_WORDS;
    return code === 0xaa || code === 0xb5 || code === 0xba ? PART_OF_WORD : NO_WORD;
  }
  if (code < 0x2000) return code === 0xd7 || code === 0xf7 ? NO_WORD : PART_OF_WORD;
  if (code < 0x2070) {
    const isSpace = code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f;
    return isSpace ? BETWEEN_WORDS : NO_WORD;
  }
  // Arrows, mathematical signs, box drawing, dingbats.
  if (code >= 0x2190 && code < 0x2c00) return NO_WORD;
  if (code >= 0x2e00 && code < 0x3040) return code === 0x3000 ? BETWEEN_WORDS : NO_WORD;
  if (code < 0x3100) return code < 0x3040 ? PART_OF_WORD : WORD_BY_ITSELF;
  if (code >= 0x31f0 && code < 0x3200) return WORD_BY_ITSELF;
  if ((code >= 0x3400 && code < 0x4dc0) || (code >= 0x4e00 && code < 0xa000)) return WORD_BY_ITSELF;
  if (code >= 0xf900 && code < 0xfb00) return WORD_BY_ITSELF;
  if (code === 0xfeff) return BETWEEN_WORDS;
  if (code >= 0xfe30 && code < 0xfe70) return NO_WORD;
  if (code >= 0xff00 && code < 0xff10) return NO_WORD;
  if (code < 0x10000) return PART_OF_WORD;
  // Above U+FFFF: the Han planes, emoji, and the rest.
  if (code >= 0x20000 && code < 0x40000) return WORD_BY_ITSELF;
  return code >= 0x1f000 && code < 0x20000 ? NO_WORD : PART_OF_WORD;
}
