/** The character references that most pages have; all others are TypeScript's to decode. */

import { AMPERSAND, DOUBLE_QUOTE, GREATER_THAN, isDigit, LESS_THAN, NUMBER_SIGN, SEMICOLON } from "./characters.ts";

const NO_BREAK_SPACE = 0xa0;

/** "lt;", "gt;", "amp;", "quot" and "nbsp" as numbers: the first letter is the lowest byte. */
const LT = 0x3b746c;
const GT = 0x3b7467;
const AMP = 0x3b706d61;
const QUOT = 0x746f7571;
const NBSP = 0x7073626e;

/** What the last one took, from its "&" to its ";". */
export let referenceBytes = 0;

/** The character that the reference at this address stands for; 0 when it is none of these. */
export function commonReference(at: usize, end: usize): i32 {
  if (at + 5 > end) return 0;
  const four = load<u32>(at + 1);
  if (four === AMP) return found(AMPERSAND, 5);
  if ((four & 0xffffff) === LT) return found(LESS_THAN, 4);
  if ((four & 0xffffff) === GT) return found(GREATER_THAN, 4);
  // Two digits: `&#39;`, which programs write for "'".
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
