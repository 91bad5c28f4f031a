/** The current tag, and the tables of what is known of each. */

import { UNKNOWN } from "../tag-ids.ts";
import { addName, attributeNames, findName, tagNames } from "./names.ts";

const MOST_TAGS = 256;
const bits: usize = memory.data(MOST_TAGS * 4, 4);
const traits: usize = memory.data(MOST_TAGS * 4, 4);
const landmarks: usize = memory.data(MOST_TAGS * 4, 4);

/** The name of the current tag, as it is written, and the hash of it in lower case. */
export let nameStart = 0;
export let nameEnd = 0;
export let nameHash = 0;

/** Defines the next tag; its name stands at the start of the page. The first one stands for all unknown names. */
export function defineTag(tag: i32, nameBytes: i32, elementBits: i32, elementTraits: i32, landmark: i32): void {
  if (tag !== UNKNOWN) addName(tagNames, nameBytes);
  store<i32>(bits + tag * 4, elementBits);
  store<i32>(traits + tag * 4, elementTraits);
  store<i32>(landmarks + tag * 4, landmark);
}

/** Defines the next attribute; its name stands at the start of the page. */
export function defineAttribute(nameBytes: i32): void {
  addName(attributeNames, nameBytes);
}

/** Makes the name at `start` to `end` the current one, and returns its tag. */
export function readTag(start: i32, end: i32, hash: i32): i32 {
  nameStart = start;
  nameEnd = end;
  nameHash = hash;
  return findName(tagNames, start, end, hash) + 1;
}

/** See `element-bits.ts`. */
export function bitsOf(tag: i32): i32 {
  return load<i32>(bits + tag * 4);
}

/** See `element-traits.ts`. */
export function traitsOf(tag: i32): i32 {
  return load<i32>(traits + tag * 4);
}

/** The part of the page that the element begins, or -1. */
export function landmarkOf(tag: i32): i32 {
  return load<i32>(landmarks + tag * 4);
}
