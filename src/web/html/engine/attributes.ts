/** The attributes of the current tag: where the values of known names are. */

import * as host from "./host.ts";
import {
  AMPERSAND,
  addressOf,
  CARRIAGE_RETURN,
  DOUBLE_QUOTE,
  EQUALS,
  GREATER_THAN,
  isSpace,
  length,
  lowerCode,
  SINGLE_QUOTE,
  SLASH,
} from "./page.ts";
import { attributeNames, findName, hashStep } from "./tags.ts";

/** One bit per attribute says that it is present; then come the starts of the values, their ends, and whether to decode them. */
const KNOWN = 64;
const STARTS = 8;
const ENDS = STARTS + KNOWN * 4;
const NEED_DECODING = ENDS + KNOWN * 4;

/** TypeScript reads it too. */
export const attributes: usize = memory.data(NEED_DECODING + KNOWN * 4, 8);

/** The tag ended in `/>`. */
export let selfClosing = false;
/** Where the tag's attributes begin. */
let from = 0;
/** A value longer than this reads as absent. */
let mostBytes = 0;
/** Every attribute is reported, known or not. */
let reporting = false;

export function limitAttributes(bytes: i32): void {
  mostBytes = bytes;
}

export function has(attribute: i32): bool {
  return ((load<u64>(attributes) >> <u64>attribute) & 1) !== 0;
}

/** Whether one of these attributes is there, one bit each. */
export function hasAny(bits: u64): bool {
  return (load<u64>(attributes) & bits) !== 0;
}

/** Whether the value can be used as written, and is within the limit. */
export function isPlain(attribute: i32): bool {
  if (!has(attribute) || load<i32>(attributes + NEED_DECODING + attribute * 4) !== 0) return false;
  return valueEnd(attribute) - valueStart(attribute) <= mostBytes;
}

export function valueStart(attribute: i32): i32 {
  return load<i32>(attributes + STARTS + attribute * 4);
}

export function valueEnd(attribute: i32): i32 {
  return load<i32>(attributes + ENDS + attribute * 4);
}

/** Reports every attribute of the current tag. */
export function reportAttributes(): void {
  reporting = true;
  scanAttributes(from);
  reporting = false;
}

/**
 * Scans from after the tag name to after the `>` (WHATWG HTML, 13.2.5.32 to 13.2.5.40), and returns that position;
 * -1 when the page ends inside the tag, which then counts for nothing.
 */
export function scanAttributes(begin: i32): i32 {
  from = begin;
  selfClosing = false;
  store<u64>(attributes, 0);
  // Local copies, which the processor keeps in registers.
  const page = addressOf(0);
  const size = length;
  let index = begin;
  while (true) {
    while (index < size && isSpace(byteIn(page, index))) index++;
    if (index >= size) return -1;
    let code = byteIn(page, index);
    if (code === GREATER_THAN) return index + 1;
    if (code === SLASH) {
      index++;
      if (index < size && byteIn(page, index) === GREATER_THAN) {
        selfClosing = true;
        return index + 1;
      }
      continue;
    }

    // The name. Its first character may be anything, even "=".
    const nameStart = index;
    let hash = 0;
    do {
      hash = hashStep(hash, lowerCode(code));
      index++;
      if (index >= size) return -1;
      code = byteIn(page, index);
    } while (code > GREATER_THAN || !(code === EQUALS || code === GREATER_THAN || code === SLASH || isSpace(code)));
    const nameEnd = index;

    while (isSpace(code)) {
      index++;
      if (index >= size) return -1;
      code = byteIn(page, index);
    }
    let start = index;
    let end = index;
    let needsDecoding = false;
    if (code === EQUALS) {
      do {
        index++;
        if (index >= size) return -1;
        code = byteIn(page, index);
      } while (isSpace(code));
      start = index;
      if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
        const quote = code;
        start = ++index;
        for (; ; index++) {
          if (index >= size) return -1;
          code = byteIn(page, index);
          if (code > SINGLE_QUOTE) continue;
          if (code === quote) break;
          if (code === AMPERSAND || code === CARRIAGE_RETURN || code === 0) needsDecoding = true;
        }
        end = index++;
      } else {
        while (code > GREATER_THAN || !(code === GREATER_THAN || isSpace(code))) {
          if (code === AMPERSAND || code === 0) needsDecoding = true;
          index++;
          if (index >= size) return -1;
          code = byteIn(page, index);
        }
        end = index;
      }
    }
    keep(nameStart, nameEnd, start, end, hash, needsDecoding);
  }
}

function byteIn(page: usize, index: i32): i32 {
  return <i32>load<u8>(page + index);
}

function keep(nameStart: i32, nameEnd: i32, start: i32, end: i32, hash: i32, needsDecoding: bool): void {
  const known = findName(attributeNames, nameStart, nameEnd, hash);
  // The first of two attributes with one name wins (13.2.5.33).
  if (known >= 0 && !has(known)) {
    store<u64>(attributes, load<u64>(attributes) | ((<u64>1) << (<u64>known)));
    store<i32>(attributes + STARTS + known * 4, start);
    store<i32>(attributes + ENDS + known * 4, end);
    store<i32>(attributes + NEED_DECODING + known * 4, <i32>needsDecoding);
  }
  if (reporting) host.attribute(nameStart, nameEnd, start, end, needsDecoding);
}
