/** The attributes of the tag being visited: offsets in the engine's memory, made into strings only when asked for. */

import { lowerName } from "./elements.ts";
import { decodeAttributeValue, type HtmlSource } from "./html-source.ts";

/** The known names, in the order of `name-ids.ts`. At most 64, because presence takes one bit each. */
export const ATTRIBUTE_NAMES = [
  "href",
  "rel",
  "style",
  "role",
  "shadowrootmode",
  "background",
  "hidden",
  "class",
  "id",
  "open",
  "onclick",
  "target",
  "aria-label",
  "aria-labelledby",
  "aria-hidden",
  "title",
  "src",
  "srcset",
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
  "property",
  "itemscope",
  "itemprop",
  "typeof",
  "width",
  "height",
  "loading",
  "for",
  "placeholder",
  "value",
  "async",
  "defer",
  "media",
  "popover",
] as const;

export type AttributeName = (typeof ATTRIBUTE_NAMES)[number];

const INDEX = Object.fromEntries(ATTRIBUTE_NAMES.map((name, index) => [name, index])) as Record<AttributeName, number>;

/** In memory: presence, one bit each; where values begin; where they end; whether they need decoding. */
const STARTS = 2;
const ENDS = STARTS + 64;
const NEED_DECODING = ENDS + 64;

/** What the attributes are read from. */
export interface AttributeMemory {
  readonly source: HtmlSource;
  /** The index of one of the current tag's attributes, as laid out below. */
  attributeNumber(index: number): number;
  /** Calls back for every attribute of the current tag. */
  reportAttributes(report: ReportAttribute): void;
}

export type ReportAttribute = (
  nameStart: number,
  nameEnd: number,
  start: number,
  end: number,
  needsDecoding: boolean,
) => void;

export class Attributes {
  readonly #memory: AttributeMemory;
  readonly #mostBytes: number;

  constructor(memory: AttributeMemory, mostBytes: number) {
    this.#memory = memory;
    this.#mostBytes = mostBytes;
  }

  has(name: AttributeName): boolean {
    const index = INDEX[name];
    return (this.#memory.attributeNumber(index >> 5) & (1 << (index & 31))) !== 0;
  }

  /** The decoded value of the first attribute with this name; `null` when absent or longer than the limit. */
  get(name: AttributeName): string | null {
    if (!this.has(name)) return null;
    const at = (place: number): number => this.#memory.attributeNumber(place + INDEX[name]);
    return this.#value(at(STARTS), at(ENDS), at(NEED_DECODING) !== 0);
  }

  /** Whether the attribute is present and holds more than white space. */
  says(name: AttributeName): boolean {
    if (!this.has(name)) return false;
    const at = (place: number): number => this.#memory.attributeNumber(place + INDEX[name]);
    // A letter can be recognised without making a string of the value.
    const start = at(STARTS);
    const first = this.#memory.source.bytes[start]! | 0x20;
    return start < at(ENDS) && ((first >= 0x61 && first <= 0x7a) || Boolean(this.text(name)?.trim()));
  }

  /** Like `get`, but cuts a value longer than the limit: right for a text, wrong for a URL. */
  text(name: AttributeName): string | null {
    if (!this.has(name)) return null;
    const at = (place: number): number => this.#memory.attributeNumber(place + INDEX[name]);
    const start = at(STARTS);
    return this.#value(start, Math.min(at(ENDS), start + this.#mostBytes), at(NEED_DECODING) !== 0);
  }

  /**
   * Every attribute; where a name is repeated, the first. Scans the tag again, so it is meant for tests and rare cases.
   */
  entries(): [name: string, value: string | null][] {
    const all = new Map<string, string | null>();
    this.#memory.reportAttributes((nameStart, nameEnd, start, end, needsDecoding) => {
      const name = lowerName(this.#memory.source.text(nameStart, nameEnd));
      if (!all.has(name)) all.set(name, this.#value(start, end, needsDecoding));
    });
    return [...all];
  }

  #value(start: number, end: number, needsDecoding: boolean): string | null {
    if (end - start > this.#mostBytes) return null;
    const raw = this.#memory.source.text(start, end);
    return needsDecoding ? decodeAttributeValue(raw) : raw;
  }
}
