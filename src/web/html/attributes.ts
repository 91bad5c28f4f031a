/** The attributes of the tag being visited: scanned as offsets, made into strings only when asked for. */

import { decodeAttributeValue } from "./character-references.ts";
import {
  AMPERSAND,
  CARRIAGE_RETURN,
  DOUBLE_QUOTE,
  EQUALS,
  GREATER_THAN,
  isSpace,
  lowerCode,
  SINGLE_QUOTE,
  SLASH,
} from "./characters.ts";
import type { HtmlSource } from "./html-source.ts";
import type { HtmlLimits } from "./limits.ts";
import { hashStep, NameTable } from "./name-table.ts";
import { lowerName } from "./tag.ts";

/** The names that `get` knows. At most 32, because presence is one bit each. */
const KNOWN = [
  "href",
  "rel",
  "src",
  "srcset",
  "style",
  "role",
  "name",
  "content",
  "http-equiv",
  "lang",
  "alt",
  "type",
  "hreflang",
  "data",
  "action",
  "formaction",
  "poster",
  "data-src",
  "data-srcset",
  "imagesrcset",
  "xlink:href",
  "shadowrootmode",
] as const;

export type AttributeName = (typeof KNOWN)[number];

const TABLE = new NameTable(KNOWN);
const INDEX = Object.fromEntries(KNOWN.map((name, index) => [name, index])) as Record<AttributeName, number>;

/** A set of attribute names, for a visitor that first asks "is there any of these?". */
export function attributeSet(...names: AttributeName[]): number {
  return names.reduce((set, name) => set | (1 << INDEX[name]), 0);
}

export class Attributes {
  /** The tag ended in `/>`. */
  selfClosing = false;
  readonly source: HtmlSource;
  readonly #limits: HtmlLimits;
  /** Where the tag's attributes begin. */
  #from = 0;
  /** The known names the tag has, one bit each; where a bit is set, the arrays below say where the value is. */
  #present = 0;
  readonly #starts: number[] = KNOWN.map(() => 0);
  readonly #ends: number[] = KNOWN.map(() => 0);
  readonly #needDecoding: boolean[] = KNOWN.map(() => false);
  /** Filled while `entries` scans the tag once more. */
  #all: Map<string, string | null> | null = null;

  constructor(source: HtmlSource, limits: HtmlLimits) {
    this.source = source;
    this.#limits = limits;
  }

  /** Whether the tag has one of the names in this set (see `attributeSet`). */
  hasAny(set: number): boolean {
    return (this.#present & set) !== 0;
  }

  /** The decoded value of the first attribute with this name; `null` when absent or longer than the limit. */
  get(name: AttributeName): string | null {
    const index = INDEX[name];
    if ((this.#present & (1 << index)) === 0) return null;
    return this.#value(this.#starts[index]!, this.#ends[index]!, this.#needDecoding[index]!);
  }

  /** Whether the value stands in the source as it is: from `start` to `end`, not longer than the limit. */
  isPlain(name: AttributeName): boolean {
    const index = INDEX[name];
    if ((this.#present & (1 << index)) === 0 || this.#needDecoding[index]!) return false;
    return this.#ends[index]! - this.#starts[index]! <= this.#limits.attributeLength;
  }

  /** Where the value begins in the source. This and the next are for names that `isPlain`. */
  start(name: AttributeName): number {
    return this.#starts[INDEX[name]]!;
  }

  end(name: AttributeName): number {
    return this.#ends[INDEX[name]]!;
  }

  /** Every attribute, first of each name. Scans the tag again: for tests and rare visitors. */
  entries(): [name: string, value: string | null][] {
    const all = new Map<string, string | null>();
    this.#all = all;
    this.scan(this.#from);
    this.#all = null;
    return [...all];
  }

  #value(start: number, end: number, needsDecoding: boolean): string | null {
    if (end - start > this.#limits.attributeLength) return null;
    const raw = this.source.text(start, end);
    return needsDecoding ? decodeAttributeValue(raw) : raw;
  }

  /** Forgets the last tag; used when the tag has no attributes at all. */
  clear(from: number): void {
    this.#from = from;
    this.selfClosing = false;
    this.#present = 0;
  }

  /**
   * Scans from behind the tag name to behind the `>` (WHATWG HTML, 13.2.5.32 to 13.2.5.40), and returns that position;
   * -1 when the page ends inside the tag, which then does not exist.
   */
  scan(from: number): number {
    this.clear(from);
    const { bytes } = this.source;
    const { length } = bytes;
    let index = from;
    for (;;) {
      while (index < length && isSpace(bytes[index]!)) index++;
      if (index >= length) return -1;
      let code = bytes[index]!;
      if (code === GREATER_THAN) return index + 1;
      if (code === SLASH) {
        index++;
        if (index < length && bytes[index] === GREATER_THAN) {
          this.selfClosing = true;
          return index + 1;
        }
        continue;
      }

      // The name. Its first character may be anything, even "=".
      const nameStart = index;
      let hash = 0;
      do {
        hash = hashStep(hash, lowerCode(code));
        index++;
        if (index >= length) return -1;
        code = bytes[index]!;
      } while (code > GREATER_THAN || !(code === EQUALS || code === GREATER_THAN || code === SLASH || isSpace(code)));
      const nameEnd = index;

      while (isSpace(code)) {
        index++;
        if (index >= length) return -1;
        code = bytes[index]!;
      }
      let valueStart = index;
      let valueEnd = index;
      let needsDecoding = false;
      if (code === EQUALS) {
        do {
          index++;
          if (index >= length) return -1;
          code = bytes[index]!;
        } while (isSpace(code));
        valueStart = index;
        if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
          const quote = code;
          valueStart = ++index;
          for (; ; index++) {
            if (index >= length) return -1;
            code = bytes[index]!;
            if (code > SINGLE_QUOTE) continue;
            if (code === quote) break;
            if (code === AMPERSAND || code === CARRIAGE_RETURN || code === 0) needsDecoding = true;
          }
          valueEnd = index++;
        } else {
          while (code > GREATER_THAN || !(code === GREATER_THAN || isSpace(code))) {
            if (code === AMPERSAND || code === 0) needsDecoding = true;
            index++;
            if (index >= length) return -1;
            code = bytes[index]!;
          }
          valueEnd = index;
        }
      }
      this.#keep(nameStart, nameEnd, valueStart, valueEnd, hash, needsDecoding);
    }
  }

  #keep(nameStart: number, nameEnd: number, start: number, end: number, hash: number, needsDecoding: boolean): void {
    const known = TABLE.find(this.source.bytes, nameStart, nameEnd, hash);
    // The first of two attributes with one name wins (13.2.5.33).
    if (known >= 0 && (this.#present & (1 << known)) === 0) {
      this.#present |= 1 << known;
      this.#starts[known] = start;
      this.#ends[known] = end;
      this.#needDecoding[known] = needsDecoding;
    }
    if (this.#all !== null) {
      const name = lowerName(this.source.text(nameStart, nameEnd));
      if (!this.#all.has(name)) this.#all.set(name, this.#value(start, end, needsDecoding));
    }
  }
}
