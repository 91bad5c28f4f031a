/** Tables of known names, which are recognised in the page in any letter case without copying them out. */

import { lowerCode } from "./characters.ts";
import { byteAt } from "./page.ts";

/** Open addressing: the number of a name plus one, or 0. */
const SLOTS = 1024;
const MOST_NAMES = 256;
/** A table: its slots, where each name begins (the last entry is the end of all), their letters, how many there are. */
const STARTS = SLOTS * 2;
const LETTERS = STARTS + (MOST_NAMES + 1) * 2;
const COUNT = LETTERS + 2046;
const TABLE_BYTES = COUNT + 4;

export const tagNames: usize = memory.data(TABLE_BYTES, 4);
export const attributeNames: usize = memory.data(TABLE_BYTES, 4);

/** One step of the hash over a name's lower-cased bytes, starting from 0. */
export function hashStep(hash: i32, code: i32): i32 {
  return hash * 31 + code;
}

/** Adds the lower-case name that stands at the start of the page. */
export function addName(table: usize, bytes: i32): void {
  const number = load<i32>(table + COUNT);
  store<i32>(table + COUNT, number + 1);
  const start = startOf(table, number);
  let hash = 0;
  for (let index = 0; index < bytes; index++) {
    const code = byteAt(index);
    hash = hashStep(hash, code);
    store<u8>(table + LETTERS + start + index, <u8>code);
  }
  store<u16>(table + STARTS + (number + 1) * 2, <u16>(start + bytes));
  let slot = hash & (SLOTS - 1);
  while (load<u16>(table + slot * 2) !== 0) slot = (slot + 1) & (SLOTS - 1);
  store<u16>(table + slot * 2, <u16>(number + 1));
}

/** The number of the name at `start` to `end` of the page, or -1. */
export function findName(table: usize, start: i32, end: i32, hash: i32): i32 {
  let slot = hash & (SLOTS - 1);
  while (true) {
    const number = <i32>load<u16>(table + slot * 2) - 1;
    if (number < 0 || isName(table, number, start, end)) return number;
    slot = (slot + 1) & (SLOTS - 1);
  }
}

/** Writes a name of the table there, and returns its length. */
export function copyName(table: usize, number: i32, to: usize): i32 {
  const start = startOf(table, number);
  const bytes = startOf(table, number + 1) - start;
  memory.copy(to, table + LETTERS + start, bytes);
  return bytes;
}

function startOf(table: usize, number: i32): i32 {
  return <i32>load<u16>(table + STARTS + number * 2);
}

function isName(table: usize, number: i32, start: i32, end: i32): bool {
  let known = startOf(table, number);
  if (startOf(table, number + 1) - known !== end - start) return false;
  for (let at = start; at < end; at++) {
    if (lowerCode(byteAt(at)) !== <i32>load<u8>(table + LETTERS + known++)) return false;
  }
  return true;
}
