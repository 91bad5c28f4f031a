/** Which bytes are one character of UTF-8 (RFC 3629), and how many to replace where they are not. */

/**
 * The length of the character that begins with this byte of 0x80 or more. Where none does: minus the number of bytes that
 * one U+FFFD stands for, as every decoder of the web counts them (the longest piece that could have become a character).
 */
export function sequenceLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!;
  // Most of what is not Latin: three bytes, with no rule of its own for the second.
  const plain = lead > 0xe0 && lead < 0xf0 && lead !== 0xed && at + 2 < end;
  if (plain && (bytes[at + 1]! & 0xc0) === 0x80 && (bytes[at + 2]! & 0xc0) === 0x80) return 3;
  if (lead < 0xc2 || lead > 0xf4) return -1;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte is held tighter after some leads: no overlong forms, no surrogates, nothing beyond U+10FFFF.
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (at + 1 >= end || bytes[at + 1]! < lowest || bytes[at + 1]! > highest) return -1;
  for (let index = 2; index < length; index++) {
    if (at + index >= end || (bytes[at + index]! & 0xc0) !== 0x80) return -index;
  }
  return length;
}
