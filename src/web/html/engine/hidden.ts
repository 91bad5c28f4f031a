/** Which elements the page itself hides: by `hidden`, by `display: none` in a style of its own, or as a dialog or popover that is closed. */
import {
  CLASS_ATTRIBUTE,
  DIALOG,
  HIDDEN_ATTRIBUTE,
  ID_ATTRIBUTE,
  OPEN_ATTRIBUTE,
  POPOVER_ATTRIBUTE,
  STYLE_ATTRIBUTE,
} from "../name-ids.ts";
import { has, valueEnd, valueStart } from "./attributes.ts";
import { byteAt, EXCLAMATION, isSpace, lowerCode, NUMBER_SIGN, SEMICOLON } from "./page.ts";
import { hashStep } from "./tags.ts";
import { scratchByte } from "./visible-text.ts";

const COLON = 58;
const DOT = 46;
/** Selectors kept. Hashes stand for them: two of 32 bits that are equal are no worry for a count of words. */
const MOST_NAMES = 512;
const hashes: usize = memory.data(MOST_NAMES * 4, 4);
let count = 0;

export function clearHiddenNames(): void {
  count = 0;
}

/** A style sheet of the page hides the class or id whose selector (`.name`, `#name`) is in scratch memory. */
export function hideName(bytes: i32): void {
  if (count === MOST_NAMES) return;
  let hash = 0;
  for (let at = 0; at < bytes; at++) hash = hashStep(hash, scratchByte(at));
  store<i32>(hashes + count * 4, hash);
  count++;
}

export function isHidden(tag: i32): bool {
  if (has(STYLE_ATTRIBUTE)) {
    const display = displayInStyle();
    // The style of an element is stronger than everything else here.
    if (display !== UNSAID) return display === NONE;
  }
  if (has(HIDDEN_ATTRIBUTE) || has(POPOVER_ATTRIBUTE) || (tag === DIALOG && !has(OPEN_ATTRIBUTE))) return true;
  return count > 0 && (isHiddenByClass() || isHiddenById());
}

function isHiddenByClass(): bool {
  if (!has(CLASS_ATTRIBUTE)) return false;
  const end = valueEnd(CLASS_ATTRIBUTE);
  let index = valueStart(CLASS_ATTRIBUTE);
  while (index < end) {
    while (index < end && isSpace(byteAt(index))) index++;
    let hash = hashStep(0, DOT);
    for (; index < end && !isSpace(byteAt(index)); index++) hash = hashStep(hash, byteAt(index));
    if (isKnown(hash)) return true;
  }
  return false;
}

function isHiddenById(): bool {
  if (!has(ID_ATTRIBUTE)) return false;
  let hash = hashStep(0, NUMBER_SIGN);
  for (let index = valueStart(ID_ATTRIBUTE); index < valueEnd(ID_ATTRIBUTE); index++)
    hash = hashStep(hash, byteAt(index));
  return isKnown(hash);
}

function isKnown(hash: i32): bool {
  for (let name = 0; name < count; name++) if (load<i32>(hashes + name * 4) === hash) return true;
  return false;
}

const UNSAID = 0;
const NONE = 1;
const SHOWN = 2;

/** What the last `display` of the `style` attribute says. */
function displayInStyle(): i32 {
  const end = valueEnd(STYLE_ATTRIBUTE);
  let display = UNSAID;
  let index = valueStart(STYLE_ATTRIBUTE);
  while (index < end) {
    index = skipSpaces(index, end);
    if (isDisplay(index, end)) {
      index = skipSpaces(index + 7, end);
      if (index < end && byteAt(index) === COLON) display = isNone(skipSpaces(index + 1, end), end) ? NONE : SHOWN;
    }
    while (index < end && byteAt(index) !== SEMICOLON) index++;
    index++;
  }
  return display;
}

function skipSpaces(from: i32, end: i32): i32 {
  let index = from;
  while (index < end && isSpace(byteAt(index))) index++;
  return index;
}

function isDisplay(at: i32, end: i32): bool {
  if (at + 7 > end) return false;
  return (
    letter(at) === 100 &&
    letter(at + 1) === 105 &&
    letter(at + 2) === 115 &&
    letter(at + 3) === 112 &&
    letter(at + 4) === 108 &&
    letter(at + 5) === 97 &&
    letter(at + 6) === 121
  );
}

function isNone(at: i32, end: i32): bool {
  if (at + 4 > end) return false;
  if (letter(at) !== 110 || letter(at + 1) !== 111 || letter(at + 2) !== 110 || letter(at + 3) !== 101) return false;
  if (at + 4 === end) return true;
  const after = byteAt(at + 4);
  return after === SEMICOLON || after === EXCLAMATION || isSpace(after);
}

function letter(at: i32): i32 {
  return lowerCode(byteAt(at));
}
