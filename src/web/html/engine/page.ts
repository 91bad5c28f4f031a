/** The page being read, in memory. All offsets count from its first byte. */

import { lowerCode } from "./characters.ts";
import { allocate } from "./memory.ts";

let address: usize = 0;
let room = 0;
/** Its bytes. */
export let length = 0;

/** Room for a page of so many bytes; whoever asks fills it. */
export function placePage(bytes: i32): usize {
  // One more, for `indexOf`.
  if (bytes >= room) {
    room = bytes + (bytes >> 1) + 1;
    address = allocate(room);
  }
  length = bytes;
  return address;
}

export function byteAt(index: i32): i32 {
  return <i32>load<u8>(address + index);
}

/** Where a byte of the page stands in memory. */
export function addressOf(index: i32): usize {
  return address + index;
}

/** The place of the next such byte; the page's length when there is none. */
export function indexOf(code: i32, from: i32): i32 {
  if (from >= length) return length;
  // With the byte itself behind the page, the loop need not look where the page ends.
  store<u8>(address + length, <u8>code);
  let at = address + from;
  while (<i32>load<u8>(at) !== code) at++;
  return <i32>(at - address);
}

/** Whether two parts of the page are the same name in any letter case. */
export function isSameName(start: i32, end: i32, otherStart: i32, otherEnd: i32): bool {
  if (end - start !== otherEnd - otherStart) return false;
  for (let offset = 0; offset < end - start; offset++) {
    if (lowerCode(byteAt(start + offset)) !== lowerCode(byteAt(otherStart + offset))) return false;
  }
  return true;
}
