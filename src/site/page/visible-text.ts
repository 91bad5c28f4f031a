/** The visible text of a page, collected as UTF-8 with its white space collapsed and its words counted. */

import { decodeText, type HtmlSource } from "../../web/html/index.ts";
import { ASCII_WORD, astralWordRole, BETWEEN_WORDS, PART_OF_WORD, WORD_BY_ITSELF, wordRole } from "./words.ts";

const SPACE = 32;
const AMPERSAND = 38;

/** A buffer above this size is not kept for the next page. */
const SPARE_BYTES = 1 << 20;
const SMALLEST_BYTES = 1 << 16;

/** One buffer is kept between pages: allocating it anew each time costs more than filling it. */
let spare: Buffer | null = null;

export class VisibleText {
  words = 0;
  #bytes: Buffer;
  #length = 0;
  /** UTF-8 bytes so far minus UTF-16 code units so far. */
  #surplus = 0;
  /** White space has been met since the last character. */
  #space = false;
  #inWord = false;

  constructor() {
    this.#bytes = spare ?? Buffer.allocUnsafeSlow(SMALLEST_BYTES);
    spare = null;
  }

  /** Where the next character comes in `bytes`. A space may come before it. */
  get position(): number {
    return this.#length;
  }

  /** UTF-16 code units, which is what JavaScript calls the length of a text. */
  get length(): number {
    return this.#length - this.#surplus;
  }

  /** Separates what was from what comes, as a block or a `<br>` does. */
  breakWord(): void {
    this.#space = true;
    this.#inWord = false;
  }

  append(source: HtmlSource, start: number, end: number, references: boolean): void {
    const stopped = this.#copy(source.bytes, start, end, references);
    if (stopped < end) {
      const decoded = Buffer.from(decodeText(source.text(stopped, end)));
      this.#copy(decoded, 0, decoded.length, false);
    }
  }

  /** Valid until `release`. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Gives the buffer back; nothing may be called after. */
  release(): void {
    if (this.#bytes.length <= SPARE_BYTES) spare = this.#bytes;
  }

  /** Copies valid UTF-8 up to `end`, or up to the first "&" when that may begin a reference; returns where it stopped. */
  #copy(source: Buffer, start: number, end: number, references: boolean): number {
    this.#makeRoom(end - start + 1);
    const bytes = this.#bytes;
    let length = this.#length;
    let space = this.#space;
    let inWord = this.#inWord;
    let index = start;
    while (index < end) {
      let byte = source[index]!;
      if (byte <= SPACE) {
        space = true;
        inWord = false;
        index++;
        continue;
      }
      if (byte === AMPERSAND && references) break;
      if (space) {
        space = false;
        if (length > 0) bytes[length++] = SPACE;
      }
      if (byte < 0x80) {
        // A run of ASCII without white space: nearly all text is this.
        const runStart = length;
        do {
          bytes[length++] = byte;
          index++;
          if (index >= end) break;
          byte = source[index]!;
        } while (byte > SPACE && byte < 0x80 && byte !== AMPERSAND);
        if (!inWord && hasWordCharacter(bytes, runStart, length)) {
          inWord = true;
          this.words++;
        }
        continue;
      }
      const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      const role = roleAt(source, index, size);
      for (let copied = 0; copied < size; copied++) bytes[length++] = source[index++]!;
      // Four bytes of UTF-8 are two code units; any fewer are one.
      this.#surplus += size === 4 ? 2 : size - 1;
      if (role === WORD_BY_ITSELF || (role === PART_OF_WORD && !inWord)) this.words++;
      if (role === PART_OF_WORD) inWord = true;
      else if (role === WORD_BY_ITSELF || role === BETWEEN_WORDS) inWord = false;
    }
    this.#length = length;
    this.#space = space;
    this.#inWord = inWord;
    return index;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** Nearly always decided by the first byte. */
function hasWordCharacter(bytes: Buffer, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (ASCII_WORD[bytes[index]!] === 1) return true;
  return false;
}

/** What the character of two, three or four bytes at `at` does to the count of words. */
function roleAt(bytes: Buffer, at: number, size: number): number {
  const last = bytes[at + size - 1]! & 0x3f;
  if (size === 2) return wordRole(((bytes[at]! & 0x1f) << 6) | last);
  const middle = (bytes[at + size - 2]! & 0x3f) << 6;
  if (size === 3) return wordRole(((bytes[at]! & 0x0f) << 12) | middle | last);
  return astralWordRole(((bytes[at]! & 0x07) << 18) | ((bytes[at + 1]! & 0x3f) << 12) | middle | last);
}
