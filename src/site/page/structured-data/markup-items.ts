/**
 * Microdata and RDFa Lite: descriptions that are written into the elements of a page, as objects like those of JSON-LD.
 * `itemref` is not followed, and neither are RDFa vocabularies other than schema.org.
 */
import { CLOSES_PARAGRAPH, FORMATTING, ITEM, SILENT, STRUCTURE } from "../../../web/html/element-bits.ts";
import {
  type Attributes,
  decodeText,
  ELEMENTS,
  type FollowingVisitor,
  followHtml,
  type HtmlSource,
  type OpenElements,
  type Tag,
  tagNamed,
} from "../../../web/html/index.ts";
import { DEFAULT_PAGE_OPTIONS } from "../options.ts";
import { collapse } from "../trim.ts";

export type Item = Record<string, unknown>;

/** A page may consist of nothing but these. */
const MOST_ITEMS = 2_000;
const MOST_TEXT = 2_000;

/** The things that a page describes. Things that belong to another one are its properties. */
export function markupItems({ bytes }: HtmlSource): Item[] {
  return followHtml(bytes, (elements) => new ItemVisitor(elements)).items;
}

/** What an open element means: the thing it describes, or the property that its text is. */
interface Meaning {
  item: Item | null;
  property: { of: Item; name: string; text: string } | null;
}

class ItemVisitor implements FollowingVisitor {
  readonly items: Item[] = [];
  readonly #stack: OpenElements;
  readonly #open: (Meaning | null)[] = [];
  /** Open things, the innermost last, and properties whose text is being read. */
  readonly #things: Item[] = [];
  readonly #texts: NonNullable<Meaning["property"]>[] = [];
  /** Elements beyond the depth limit. */
  #tooDeep = 0;
  #count = 0;

  constructor(stack: OpenElements) {
    this.#stack = stack;
    for (const name of ["html", "body"]) this.#push(tagNamed(name), null);
  }

  open(tag: Tag, attributes: Attributes, empty: boolean): void {
    const bits = ELEMENTS[tag.id]!;
    if ((bits & STRUCTURE) !== 0) {
      // They stay open to the end of the page.
      this.#begin(this.#meaningOf(tag, attributes, true));
      return;
    }
    const stack = this.#stack;
    if ((bits & CLOSES_PARAGRAPH) !== 0) this.#closeLevel(stack.openParagraph());
    if ((bits & ITEM) !== 0) this.#closeLevel(stack.openItem(bits));
    if (!empty && stack.depth >= DEFAULT_PAGE_OPTIONS.limits.depth) {
      this.#tooDeep++;
      return;
    }
    const meaning = this.#meaningOf(tag, attributes, empty);
    if (!empty) this.#push(tag, meaning);
  }

  close(tag: Tag): void {
    const bits = ELEMENTS[tag.id]!;
    if ((bits & STRUCTURE) !== 0) return;
    if (this.#tooDeep > 0) {
      this.#tooDeep--;
      return;
    }
    const level = this.#stack.levelClosedBy(tag);
    // What was opened inside formatting seldom outlives it, and rarely matters.
    if (level >= 0 && ((bits & FORMATTING) === 0 || !this.#stack.hasSpecialAbove(level))) this.#closeLevel(level);
  }

  text(source: HtmlSource, start: number, end: number, references: boolean): void {
    if (this.#texts.length === 0 || (this.#stack.flags & SILENT) !== 0) return;
    const raw = source.text(start, Math.min(end, start + MOST_TEXT));
    const text = references ? decodeText(raw) : raw;
    for (const property of this.#texts) if (property.text.length < MOST_TEXT) property.text += text;
  }

  finish(): void {
    this.#closeLevel(0);
  }

  #meaningOf(tag: Tag, attributes: Attributes, isEmpty: boolean): Meaning | null {
    const isMicrodata = attributes.has("itemscope") || attributes.has("itemprop");
    if (!isMicrodata && !attributes.has("typeof") && !attributes.has("property")) return null;
    const all = new Map(attributes.entries().map(([name, value]) => [name, value?.trim() ?? ""]));
    const names = wordsOf(all.get(isMicrodata ? "itemprop" : "property"))
      .map(plainName)
      .filter(isProperty);
    const around = this.#things.at(-1);
    const item = isMicrodata ? microdataItem(all) : rdfaItem(all);
    if (item !== null && ++this.#count > MOST_ITEMS) return null;
    if (item !== null && around !== undefined && names.length > 0) for (const name of names) add(around, name, item);
    else if (item !== null) this.items.push(item);
    if (item !== null) return { item, property: null };
    if (around === undefined || names.length === 0) return null;
    const value = writtenValue(tag, all);
    if (value !== null || isEmpty) {
      for (const name of names) add(around, name, value ?? "");
      return null;
    }
    return { item: null, property: { of: around, name: names[0]!, text: "" } };
  }

  #push(tag: Tag, meaning: Meaning | null): void {
    const stack = this.#stack;
    stack.push(tag, stack.flagsInside(tag), stack.positionInside(tag));
    this.#open.push(meaning);
    this.#begin(meaning);
  }

  #begin(meaning: Meaning | null): void {
    if (meaning?.item) this.#things.push(meaning.item);
    if (meaning?.property) this.#texts.push(meaning.property);
  }

  #closeLevel(level: number): void {
    if (level < 0) return;
    while (this.#open.length > level) {
      const meaning = this.#open.pop();
      if (meaning?.item) this.#things.pop();
      if (meaning?.property) {
        this.#texts.pop();
        add(meaning.property.of, meaning.property.name, collapse(meaning.property.text).slice(0, MOST_TEXT));
      }
    }
    this.#stack.truncate(level);
  }
}

const wordsOf = (text: string | undefined): string[] => (text ?? "").split(/\s+/).filter((word) => word !== "");

/** `https://schema.org/name`, `schema:name` and `name` are one property. */
const plainName = (name: string): string => name.replace(/^(?:https?:\/\/schema\.org\/|schema:)/, "");
/** Open Graph and other vocabularies write their properties with a prefix. */
const isProperty = (name: string): boolean => !/[:/]/.test(name);

function microdataItem(all: ReadonlyMap<string, string>): Item | null {
  if (!all.has("itemscope")) return null;
  const id = all.get("itemid");
  return { "@type": wordsOf(all.get("itemtype")), ...(id ? { "@id": id } : {}) };
}

function rdfaItem(all: ReadonlyMap<string, string>): Item | null {
  const types = wordsOf(all.get("typeof")).map(plainName).filter(isProperty);
  const vocabulary = all.get("vocab") ?? "";
  if (types.length === 0 || (vocabulary !== "" && !/schema\.org/i.test(vocabulary))) return null;
  const id = all.get("resource");
  return { "@type": types, ...(id ? { "@id": id } : {}) };
}

/** Where elements keep their value, if it is not their text. */
const VALUES: Readonly<Record<string, string>> = {
  ...{ a: "href", area: "href", link: "href", object: "data", data: "value", meter: "value", time: "datetime" },
  ...{ audio: "src", embed: "src", iframe: "src", img: "src", source: "src", track: "src", video: "src" },
};

const writtenValue = (tag: Tag, all: ReadonlyMap<string, string>): string | null =>
  all.get("content") ?? all.get(VALUES[tag.name] ?? "") ?? null;

function add(item: Item, name: string, value: unknown): void {
  if (name === "__proto__") return;
  const known = Object.hasOwn(item, name) ? item[name] : undefined;
  if (known === undefined) item[name] = value;
  else if (Array.isArray(known)) known.push(value);
  else item[name] = [known, value];
}
