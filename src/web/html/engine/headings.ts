/** The headings of the first two levels: how many there are, and where the text of the first of each stands. */

import { H1 } from "../tag-ids.ts";
import { visibleBytes } from "./visible-text.ts";

/** How many; where the text of the first begins and ends; the level where that one is open, or -1. */
const COUNT = 0;
const START = 4;
const END = 8;
const LEVEL = 12;
const KIND_BYTES = 16;

/** h1, then h2. TypeScript reads the first three numbers of each. */
export const headings: usize = memory.data(KIND_BYTES * 2, 4);

export function clearHeadings(): void {
  memory.fill(headings, 0, KIND_BYTES * 2);
  store<i32>(headings + LEVEL, -1);
  store<i32>(headings + KIND_BYTES + LEVEL, -1);
}

/** A heading begins; `level` is -1 when its end will not be told. */
export function openHeading(tag: i32, level: i32): void {
  const at = headings + (tag === H1 ? 0 : KIND_BYTES);
  const count = load<i32>(at + COUNT) + 1;
  store<i32>(at + COUNT, count);
  if (count > 1) return;
  store<i32>(at + LEVEL, level);
  store<i32>(at + START, visibleBytes);
  store<i32>(at + END, visibleBytes);
}

/** The elements at this level and above have ended. */
export function headingsClosed(level: i32): void {
  for (let at = headings; at < headings + KIND_BYTES * 2; at += KIND_BYTES) {
    if (load<i32>(at + LEVEL) < level) continue;
    store<i32>(at + LEVEL, -1);
    store<i32>(at + END, visibleBytes);
  }
}

/** The element at this level has ended, and those above have moved down. */
export function headingsMovedDown(level: i32): void {
  for (let at = headings; at < headings + KIND_BYTES * 2; at += KIND_BYTES) {
    if (load<i32>(at + LEVEL) > level) store<i32>(at + LEVEL, load<i32>(at + LEVEL) - 1);
  }
}
