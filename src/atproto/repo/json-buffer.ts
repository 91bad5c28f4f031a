/** One growing buffer that JSON is written into byte by byte, with a limit on how far it may grow. */
import { BASE32 } from "./multibase.ts";
import { RepoParseError } from "./parsed-repo.ts";

const BASE64 = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const HEX = Buffer.from("0123456789abcdef");
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const EQUALS = 0x3d;
const MINUS = 0x2d;
const COLON = 0x3a;
const ZERO = 0x30;
/** What follows the backslash for a control character; 0 for `u00XX`. */
const SHORT_ESCAPES = new Uint8Array(32);
for (const [character, letter] of Object.entries({ "\b": "b", "\t": "t", "\n": "n", "\f": "f", "\r": "r" })) {
  SHORT_ESCAPES[character.charCodeAt(0)] = letter.charCodeAt(0);
}
/** `\u00XX` instead of one byte, or three bytes of U+FFFD. */
const LONGEST_ESCAPE = 6;
/** U+FFFD. */
const REPLACEMENT = Uint8Array.of(0xef, 0xbf, 0xbd);

export class JsonBuffer {
  bytes: Uint8Array<ArrayBuffer>;
  /** Where the next byte goes. Setting it back removes what was written since. */
  at = 0;
  readonly #limit: number;
  #view: DataView;

  /** Bytes that are never used cost address space, not memory: a generous start is better than growing by copying. */
  constructor(capacity: number, limit: number) {
    this.bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.bytes.buffer);
    this.#limit = limit;
  }

  ensure(more: number): void {
    if (this.at + more > this.bytes.length) this.#grow(this.at + more);
  }

  #grow(needed: number): void {
    if (needed > this.#limit) {
      throw new RepoParseError(
        "parse_error",
        `The records take more than ${this.#limit} bytes as JSON, far more than the CAR.`,
      );
    }
    const larger = new Uint8Array(Math.min(this.#limit, Math.max(needed, Math.ceil(this.bytes.length * 1.5))));
    larger.set(this.bytes.subarray(0, this.at));
    this.bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  byte(byte: number): void {
    if (this.at === this.bytes.length) this.#grow(this.at + 1);
    this.bytes[this.at++] = byte;
  }

  /** A short constant. */
  raw(ascii: Uint8Array): void {
    this.ensure(ascii.length);
    const { bytes } = this;
    let at = this.at;
    for (let index = 0; index < ascii.length; index++) bytes[at++] = ascii[index]!;
    this.at = at;
  }

  /** Copies bytes. */
  copy(source: Uint8Array, start: number, end: number): void {
    this.ensure(end - start);
    this.bytes.set(source.subarray(start, end), this.at);
    this.at += end - start;
  }

  /** Writes bytes preceded by their length, and leaves room for the length of what follows. Returns where that is. */
  name(input: Uint8Array, start: number, end: number): number {
    this.ensure(2 + end - start + 4);
    const { bytes } = this;
    let at = this.at;
    this.#view.setUint16(at, end - start, true);
    at += 2;
    for (let from = start; from < end; from++) bytes[at++] = input[from]!;
    this.at = at + 4;
    return at;
  }

  /** Little-endian, like all numbers around the JSON. */
  setUnsigned32(place: number, value: number): void {
    this.#view.setUint32(place, value, true);
  }

  /** A whole number of at most 31 bits. */
  integer(value: number): void {
    if (value < 10) {
      this.byte(ZERO + value);
      return;
    }
    let digits = 2;
    for (let bound = 100; value >= bound; bound *= 10) digits++;
    this.ensure(digits);
    this.at += digits;
    for (let place = this.at - 1, rest = value; digits > 0; digits--, place--) {
      const tenth = (rest / 10) | 0;
      this.bytes[place] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
  }

  minus(): void {
    this.byte(MINUS);
  }

  /** Numbers in their own spelling. */
  ascii(text: string): void {
    this.ensure(text.length);
    for (let index = 0; index < text.length; index++) this.bytes[this.at++] = text.charCodeAt(index);
  }

  /**
   * A string: UTF-8 as it is, escapes only where JSON demands them, U+FFFD where it is not UTF-8.
   * Four bytes are checked together: most text only needs to be copied.
   */
  text(input: Uint8Array, inputView: DataView, start: number, length: number): void {
    this.ensure(length + 2);
    const view = this.#view;
    const end = start + length;
    let at = this.at;
    let from = start;
    this.bytes[at++] = QUOTE;
    if (length >= 4) {
      const lastWord = end - 4;
      for (; from < lastWord; from += 4, at += 4) {
        const word = inputView.getInt32(from, true);
        if (needsCare(word)) break;
        view.setInt32(at, word, true);
      }
      if (from >= lastWord) {
        // The last four bytes, some of them for the second time.
        const word = inputView.getInt32(lastWord, true);
        if (!needsCare(word)) {
          at += lastWord - from;
          view.setInt32(at, word, true);
          this.bytes[at + 4] = QUOTE;
          this.at = at + 5;
          return;
        }
      }
    }
    this.at = at;
    this.#careful(input, inputView, from, end);
  }

  /** The name of a field, with the brace or comma before it. */
  key(before: number, input: Uint8Array, inputView: DataView, start: number, length: number): void {
    this.byte(before);
    this.text(input, inputView, start, length);
    this.byte(COLON);
  }

  /** The rest of a text, character by character, and four bytes at a time where possible. There is room for it without escapes. */
  #careful(input: Uint8Array, inputView: DataView, start: number, end: number): void {
    let { bytes, at } = this;
    for (let from = start; from < end; ) {
      const byte = input[from]!;
      if (byte < 0x80) {
        from++;
        if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) {
          bytes[at++] = byte;
          for (; from + 4 <= end; from += 4, at += 4) {
            const word = inputView.getInt32(from, true);
            if (needsCare(word)) break;
            this.#view.setInt32(at, word, true);
          }
          continue;
        }
      } else {
        const sequence = sequenceLength(input, from, end);
        if (sequence > 0) {
          for (const last = from + sequence; from < last; from++) bytes[at++] = input[from]!;
          continue;
        }
        from -= sequence;
      }
      // The rest must still fit after the longer form, with its quote.
      this.at = at;
      this.ensure(LONGEST_ESCAPE + end - from + 1);
      if (byte < 0x80) this.#escape(byte);
      else this.raw(REPLACEMENT);
      bytes = this.bytes;
      at = this.at;
    }
    bytes[at++] = QUOTE;
    this.at = at;
  }

  #escape(byte: number): void {
    const { bytes } = this;
    bytes[this.at++] = BACKSLASH;
    const short = byte < 0x20 ? SHORT_ESCAPES[byte]! : byte;
    if (short !== 0) {
      bytes[this.at++] = short;
      return;
    }
    bytes[this.at++] = 0x75;
    bytes[this.at++] = ZERO;
    bytes[this.at++] = ZERO;
    bytes[this.at++] = HEX[byte >> 4]!;
    bytes[this.at++] = HEX[byte & 15]!;
  }

  /** Lower case, no padding, as in CIDs. */
  base32(input: Uint8Array, start: number, end: number): void {
    this.ensure(Math.ceil(((end - start) * 8) / 5));
    const { bytes } = this;
    let at = this.at;
    let buffer = 0;
    let bits = 0;
    for (let from = start; from < end; from++) {
      buffer = ((buffer << 8) | input[from]!) & 0xfff;
      for (bits += 8; bits >= 5; ) {
        bits -= 5;
        bytes[at++] = BASE32[(buffer >> bits) & 31]!;
      }
    }
    if (bits > 0) bytes[at++] = BASE32[(buffer << (5 - bits)) & 31]!;
    this.at = at;
  }

  base64(input: Uint8Array, start: number, end: number, padded: boolean): void {
    this.ensure(Math.ceil((end - start) / 3) * 4);
    const { bytes } = this;
    let at = this.at;
    let from = start;
    for (; from + 3 <= end; from += 3) {
      const group = (input[from]! << 16) | (input[from + 1]! << 8) | input[from + 2]!;
      bytes[at++] = BASE64[group >> 18]!;
      bytes[at++] = BASE64[(group >> 12) & 63]!;
      bytes[at++] = BASE64[(group >> 6) & 63]!;
      bytes[at++] = BASE64[group & 63]!;
    }
    const left = end - from;
    if (left > 0) {
      const group = (input[from]! << 16) | (left > 1 ? input[from + 1]! << 8 : 0);
      bytes[at++] = BASE64[group >> 18]!;
      bytes[at++] = BASE64[(group >> 12) & 63]!;
      if (left > 1) bytes[at++] = BASE64[(group >> 6) & 63]!;
      for (let missing = left; padded && missing < 3; missing++) bytes[at++] = EQUALS;
    }
    this.at = at;
  }
}

/** Whether one of four bytes is 0x80 or more, less than a space, a quote or a backslash: that sets its high bit here. */
function needsCare(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  return ((word | (word - 0x20202020) | (quotes - 0x01010101) | (backslashes - 0x01010101)) & 0x80808080) !== 0;
}

/**
 * The length of the UTF-8 character (RFC 3629) that begins with this byte of 0x80 or more. Where none does: minus the number of bytes that
 * one U+FFFD stands for, as every decoder of the web counts them (the longest piece that could have become a character).
 */
function sequenceLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!;
  // Most non-Latin text: three bytes, without a special rule for the second.
  const plain = lead > 0xe0 && lead < 0xf0 && lead !== 0xed && at + 2 < end;
  if (plain && (bytes[at + 1]! & 0xc0) === 0x80 && (bytes[at + 2]! & 0xc0) === 0x80) return 3;
  if (lead < 0xc2 || lead > 0xf4) return -1;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // After some first bytes, the second is restricted: no overlong forms, no surrogates, nothing beyond U+10FFFF.
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (at + 1 >= end || bytes[at + 1]! < lowest || bytes[at + 1]! > highest) return -1;
  for (let index = 2; index < length; index++) {
    if (at + index >= end || (bytes[at + index]! & 0xc0) !== 0x80) return -index;
  }
  return length;
}
