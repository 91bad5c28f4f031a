/** The page in memory, the memory that grows with it, and the bytes that mean something in HTML. Offsets count from the page's first byte. */

const LARGE_BYTES = 4 << 20;
/** The largest page that is fetched. Room that is never written to takes no memory. */
const LARGEST_BYTES = 52 << 20;

let address: usize = 0;
let room = 0;
/** In bytes. */
export let length = 0;

/** Makes room for a page of this many bytes; the caller fills it. */
export function placePage(bytes: i32): usize {
  // One byte more, for `indexOf`.
  if (bytes >= room) {
    room = roomFor(bytes) + 1;
    address = allocate(room);
  }
  length = bytes;
  return address;
}

/** Room to spare for the next page: nothing is freed, so large pages that grow must not take new room each time. */
export function roomFor(bytes: i32): i32 {
  return bytes < LARGE_BYTES ? bytes + (bytes >> 1) : max(bytes, LARGEST_BYTES);
}

export function byteAt(index: i32): i32 {
  return <i32>load<u8>(address + index);
}

/** Where a byte of the page is in memory. */
export function addressOf(index: i32): usize {
  return address + index;
}

/** The offset of the next such byte, or the page's length if there isn't one. */
export function indexOf(code: i32, from: i32): i32 {
  if (from >= length) return length;
  // With the byte itself stored after the page, the loop does not have to check for the end.
  store<u8>(address + length, <u8>code);
  let at = address + from;
  while (<i32>load<u8>(at) !== code) at++;
  return <i32>(at - address);
}

/** Whether two parts of the page are the same name, ignoring case. */
export function isSameName(start: i32, end: i32, otherStart: i32, otherEnd: i32): bool {
  if (end - start !== otherEnd - otherStart) return false;
  for (let offset = 0; offset < end - start; offset++) {
    if (lowerCode(byteAt(start + offset)) !== lowerCode(byteAt(otherStart + offset))) return false;
  }
  return true;
}

// Memory for what grows with the page. Nothing is freed: an engine that has grown large is dropped as a whole, in the end.

const PAGE_BYTES = 1 << 16;

let next: usize = (__heap_base + 15) & ~15;

/** Room for this many bytes. Traps when the system has no memory left. */
export function allocate(bytes: i32): usize {
  const address = next;
  next = (address + <usize>bytes + 15) & ~15;
  const missing = <i32>next - memory.size() * PAGE_BYTES;
  if (missing > 0 && memory.grow((missing + PAGE_BYTES - 1) / PAGE_BYTES) < 0) unreachable();
  return address;
}

/** The same for a list that has outgrown its place: its `used` bytes move along. */
export function moveTo(bytes: i32, from: usize, used: i32): usize {
  const address = allocate(bytes);
  memory.copy(address, from, used);
  return address;
}

// The bytes that mean something in HTML. All are ASCII, and no byte of a longer character equals one of them.

export const TAB = 9;
export const LINE_FEED = 10;
export const FORM_FEED = 12;
export const CARRIAGE_RETURN = 13;
export const SPACE = 32;
export const EXCLAMATION = 33;
export const DOUBLE_QUOTE = 34;
export const NUMBER_SIGN = 35;
export const AMPERSAND = 38;
export const SINGLE_QUOTE = 39;
export const HYPHEN = 45;
export const SLASH = 47;
export const SEMICOLON = 59;
export const LESS_THAN = 60;
export const EQUALS = 61;
export const GREATER_THAN = 62;
export const QUESTION = 63;
export const LEFT_BRACKET = 91;
export const RIGHT_BRACKET = 93;

/** HTML white space. Carriage return counts, because the standard turns it into a line feed before tokenizing. */
export function isSpace(code: i32): bool {
  return (
    code <= SPACE &&
    (code === SPACE || code === LINE_FEED || code === TAB || code === CARRIAGE_RETURN || code === FORM_FEED)
  );
}

export function isLetter(code: i32): bool {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

export function isDigit(code: i32): bool {
  return code >= 48 && code <= 57;
}

/** Lower-cases ASCII only, as the standard does for tag and attribute names (the Kelvin sign must not become a k). */
export function lowerCode(code: i32): i32 {
  return code >= 65 && code <= 90 ? code | 32 : code;
}
