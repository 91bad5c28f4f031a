/** The visible text of a page, collected as UTF-8 with its white space collapsed and its words counted. */

import { decodeUtf8 } from "../../web/charset.ts";
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

  /** Where the next character comes, in the string that `toString` gives. A space may come before it. */
  get position(): number {
    return this.#length - this.#surplus;
  }

  /** Separates what was from what comes, as a block or a `<br>` does. */
  breakWord(): void {
    this.#space = true;
    this.#inWord = false;
  }

  append(source: HtmlSource, start: number, end: number, references: boolean): void {
    const stopped = this.#copy(source.codes, start, end, references);
    if (stopped < end) {
      const decoded = decodeText(source.html.slice(stopped, end));
      this.#copy(codesOf(decoded), 0, decoded.length, false);
    }
  }

  /** The bytes, valid until `release`. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  toString(): string {
    return decodeUtf8(this.bytes);
  }

  /** Gives the buffer back; nothing may be called after. */
  release(): void {
    if (this.#bytes.length <= SPARE_BYTES) spare = this.#bytes;
  }

  /** Copies code units up to `end`, or up to the first "&" when that may begin a reference; returns where it stopped. */
  #copy(codes: Uint16Array, start: number, end: number, references: boolean): number {
    this.#makeRoom((end - start) * 3 + 1);
    const bytes = this.#bytes;
    let length = this.#length;
    let space = this.#space;
    let inWord = this.#inWord;
    let index = start;
    while (index < end) {
      let code = codes[index]!;
      if (code <= SPACE) {
        space = true;
        inWord = false;
        index++;
        continue;
      }
      if (code === AMPERSAND && references) break;
      if (space) {
        space = false;
        if (length > 0) bytes[length++] = SPACE;
      }
      if (code < 0x80) {
        // A run of ASCII without white space: nearly all text is this.
        const runStart = length;
        do {
          bytes[length++] = code;
          index++;
          if (index >= end) break;
          code = codes[index]!;
        } while (code > SPACE && code < 0x80 && code !== AMPERSAND);
        if (!inWord && hasWordCharacter(bytes, runStart, length)) {
          inWord = true;
          this.words++;
        }
        continue;
      }
      let role: number;
      if (code < 0xd800 || code > 0xdfff) {
        role = wordRole(code);
        const before = length;
        length = writeUnit(bytes, length, code);
        this.#surplus += length - before - 1;
      } else {
        const next = index + 1 < end ? codes[index + 1]! : 0;
        if (code <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) {
          const codePoint = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
          role = astralWordRole(codePoint);
          length = writePair(bytes, length, codePoint);
          this.#surplus += 2;
          index++;
        } else {
          // Half a pair is no character.
          role = PART_OF_WORD;
          length = writeUnit(bytes, length, 0xfffd);
          this.#surplus += 2;
        }
      }
      if (role === WORD_BY_ITSELF || (role === PART_OF_WORD && !inWord)) this.words++;
      if (role === PART_OF_WORD) inWord = true;
      else if (role === WORD_BY_ITSELF || role === BETWEEN_WORDS) inWord = false;
      index++;
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

function writeUnit(bytes: Buffer, at: number, code: number): number {
  if (code < 0x800) {
    bytes[at] = 0xc0 | (code >> 6);
    bytes[at + 1] = 0x80 | (code & 0x3f);
    return at + 2;
  }
  bytes[at] = 0xe0 | (code >> 12);
  bytes[at + 1] = 0x80 | ((code >> 6) & 0x3f);
  bytes[at + 2] = 0x80 | (code & 0x3f);
  return at + 3;
}

function writePair(bytes: Buffer, at: number, codePoint: number): number {
  bytes[at] = 0xf0 | (codePoint >> 18);
  bytes[at + 1] = 0x80 | ((codePoint >> 12) & 0x3f);
  bytes[at + 2] = 0x80 | ((codePoint >> 6) & 0x3f);
  bytes[at + 3] = 0x80 | (codePoint & 0x3f);
  return at + 4;
}

function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index++) codes[index] = text.charCodeAt(index);
  return codes;
}
