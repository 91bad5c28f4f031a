/** The visible text of the page, collected as UTF-8 with its white space collapsed and its words counted. */

import { AMPERSAND, SPACE } from "./characters.ts";
import * as host from "./host.ts";
import { allocate, moveTo } from "./memory.ts";
import { addressOf, length as pageLength } from "./page.ts";
import { commonReference, referenceBytes } from "./references.ts";
import { BETWEEN_WORDS, isAsciiWord, PART_OF_WORD, WORD_BY_ITSELF, wordRole } from "./words.ts";

export let visible: usize = 0;
/** Where the next character comes. A space may come before it. */
export let visibleBytes = 0;
export let words = 0;
/** UTF-8 bytes so far minus UTF-16 code units so far. */
let surplus = 0;
let room = 0;
/** White space has been met since the last character. */
let space = false;
let inWord = false;

let scratchAddress: usize = 0;
let scratchRoom = 0;

export function clearVisibleText(): void {
  // Never more than the page, but that a reference of five bytes may stand for six: `&nGt;`.
  const needed = pageLength + (pageLength >> 2) + 64;
  if (needed > room) {
    room = needed + (needed >> 1);
    visible = allocate(room);
  }
  visibleBytes = 0;
  words = 0;
  surplus = 0;
  space = false;
  inWord = false;
}

/** UTF-16 code units, which is what JavaScript calls the length of a text. */
export function visibleLength(): i32 {
  return visibleBytes - surplus;
}

/** Room for a text that TypeScript hands over. */
export function scratch(bytes: i32): usize {
  if (bytes > scratchRoom) {
    scratchRoom = bytes + (bytes >> 1);
    scratchAddress = allocate(scratchRoom);
  }
  return scratchAddress;
}

/** Room behind the visible text for what stands for links without text. */
export function roomForAlts(bytes: i32): usize {
  if (visibleBytes + bytes > room) {
    room = visibleBytes + bytes;
    visible = moveTo(room, visible, visibleBytes);
  }
  return visible + visibleBytes;
}

/** Separates what was from what comes, as a block or a `<br>` does. */
export function breakWord(): void {
  space = true;
  inWord = false;
}

export function appendText(start: i32, end: i32, references: bool): void {
  const first = addressOf(start);
  const last = addressOf(end);
  let at = first;
  while ((at = copy(at, last, references)) < last) {
    const character = commonReference(at, last);
    if (character === 0) {
      const bytes = host.decode(start + <i32>(at - first), end);
      copy(scratchAddress, scratchAddress + bytes, false);
      return;
    }
    appendCharacter(character);
    at += referenceBytes;
  }
}

/** A character of at most two bytes. */
function appendCharacter(character: i32): void {
  const into = scratch(2);
  const bytes = character < 0x80 ? 1 : 2;
  if (bytes === 1) store<u8>(into, <u8>character);
  else store<u16>(into, <u16>(((0x80 | (character & 0x3f)) << 8) | 0xc0 | (character >> 6)));
  copy(into, into + bytes, false);
}

/** Copies valid UTF-8 up to `end`, or up to the first "&" when that may begin a reference; returns where it stopped. */
function copy(start: usize, end: usize, references: bool): usize {
  // In variables of its own, which the processor keeps in registers.
  let to = visible + visibleBytes;
  let isAfterSpace = space;
  let isInWord = inWord;
  let counted = words;
  let index = start;
  while (index < end) {
    let code = <i32>load<u8>(index);
    if (code <= SPACE) {
      isAfterSpace = true;
      isInWord = false;
      index++;
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
