/** The current tag, the tables of known names, and what is known of each element. */
import { UNKNOWN } from "../name-ids.ts";
import { byteAt, lowerCode } from "./page.ts";

const MOST_TAGS = 256;
const bits: usize = memory.data(MOST_TAGS * 4, 4);
const traits: usize = memory.data(MOST_TAGS * 4, 4);
const landmarks: usize = memory.data(MOST_TAGS * 4, 4);

/** The name of the current tag as written, and its hash in lower case. */
export let nameStart = 0;
export let nameEnd = 0;
export let nameHash = 0;

/** Defines the next tag, whose name is at the start of the page. The first one stands for all unknown names. */
export function defineTag(tag: i32, nameBytes: i32, elementBits: i32, elementTraits: i32, landmark: i32): void {
  if (tag !== UNKNOWN) addName(tagNames, nameBytes);
  store<i32>(bits + tag * 4, elementBits);
  store<i32>(traits + tag * 4, elementTraits);
  store<i32>(landmarks + tag * 4, landmark);
}

/** Defines the next attribute, whose name is at the start of the page. */
export function defineAttribute(nameBytes: i32): void {
  addName(attributeNames, nameBytes);
}

/** Makes the name from `start` to `end` the current one, and returns its tag. */
export function readTag(start: i32, end: i32, hash: i32): i32 {
  nameStart = start;
  nameEnd = end;
  nameHash = hash;
  return findName(tagNames, start, end, hash) + 1;
}

/** What the element is: see `element-bits.ts`. */
export function bitsOf(tag: i32): i32 {
  return load<i32>(bits + tag * 4);
}

/** How the tokenizer treats it: see `element-bits.ts`. */
export function traitsOf(tag: i32): i32 {
  return load<i32>(traits + tag * 4);
}

/** The part of the page that the element begins, or -1. */
export function landmarkOf(tag: i32): i32 {
  return load<i32>(landmarks + tag * 4);
}

// Tables of known names, which are recognised in the page in any case without copying them out.

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

/** Adds the lower-case name at the start of the page. */
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

/** The number of the name from `start` to `end` in the page, or -1. */
export function findName(table: usize, start: i32, end: i32, hash: i32): i32 {
  let slot = hash & (SLOTS - 1);
  while (true) {
    const number = <i32>load<u16>(table + slot * 2) - 1;
    if (number < 0 || isName(table, number, start, end)) return number;
    slot = (slot + 1) & (SLOTS - 1);
  }
}

/** Copies a name of the table to `to`, and returns its length. */
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
