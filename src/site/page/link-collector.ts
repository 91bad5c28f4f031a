/** The links of a page while it is read: added as tags come, given their text and context once all text is known. */

import { type CssUrl, cssUrls } from "../../web/css.ts";
import type { HtmlSource } from "../../web/html/index.ts";
import type { ElementStack } from "./element-stack.ts";
import { contextAround, cutEnd, type TextRange } from "./link-context.ts";
import type { PageOptions } from "./options.ts";
import { LINK_POSITIONS, LINK_TYPES, type LinkType } from "./page-content.ts";
import {
  CONTEXT_END,
  CONTEXT_START,
  DECODED,
  HREF_END,
  HREF_START,
  PAGE_LINK_STRIDE,
  PATH,
  type PageLinks,
  POSITION,
  REL,
  TEXT_END,
  TEXT_START,
  TYPE,
} from "./page-links.ts";
import { collapse, trimUrl } from "./trim.ts";
import type { VisibleText } from "./visible-text.ts";

const HEAD = LINK_POSITIONS.indexOf("head");
const TYPES = Object.fromEntries(LINK_TYPES.map((type, index) => [type, index])) as Record<LinkType, number>;
const CSS_TYPES: Record<CssUrl["kind"], LinkType> = { import: "stylesheet", font: "font", image: "image" };
/** Not known yet, or none: links in the head have no text around them. */
const NONE = -1;
const SPACE = 32;

type Place = [start: number, end: number];

const EMPTY = Buffer.alloc(0);

/** Rows kept between pages, so that the usual page allocates none. */
const SPARE_ROWS = 4_096;
let spare: Int32Array | null = null;

/** What `contextAround` says, in one object for all links. */
const range: TextRange = { from: 0, to: 0 };

export class LinkCollector {
  truncated = false;
  readonly #options: PageOptions;
  readonly #stack: ElementStack;
  readonly #text: VisibleText;
  /** Until `finish`, `CONTEXT_START` and `CONTEXT_END` are those of the link's line of text. */
  #rows: Int32Array;
  #length = 0;
  readonly #hrefs: string[] = [];
  /** What stands for a link without text of its own (`alt`), by the link's index. */
  readonly #alts = new Map<number, string>();
  /** Where the current line of text began. */
  #lineStart = 0;
  /** The links before this index have their line's end, but for the two below. */
  #settled = 0;
  /** The anchor that is open: its line ends only after it does. */
  #anchor = NONE;
  /** An anchor that a line ended inside of, closed since. */
  #lateAnchor = NONE;

  constructor(options: PageOptions, stack: ElementStack, text: VisibleText) {
    this.#options = options;
    this.#stack = stack;
    this.#text = text;
    this.#rows = spare ?? new Int32Array(SPARE_ROWS * PAGE_LINK_STRIDE);
    spare = null;
  }

  /**
   * Adds a link of the current element; `text` is what stands for it (`alt`). An absent or empty URL is no link, nor is
   * one that holds its data itself.
   */
  add(href: string | null, type: LinkType, text: string | null = null, rel = 0): void {
    const url = href === null ? "" : trimUrl(href);
    if (url === "" || /^data:/i.test(url)) return;
    const index = this.#addDecoded(url, type, rel);
    if (index !== NONE && text !== null) this.#alts.set(index, collapse(text));
  }

  addStyle(css: string): void {
    for (const { url, kind } of cssUrls(css)) this.add(url, CSS_TYPES[kind]);
  }

  /** Adds an anchor, whose text is what comes until `closeAnchor`. An empty `href` is a link to the page itself. */
  openAnchor(href: string, rel: number): void {
    this.#openAnchor(this.#addDecoded(trimUrl(href), "anchor", rel));
  }

  /** The same for an href that stands in the source as it is. */
  openPlainAnchor({ bytes }: HtmlSource, start: number, end: number, rel: number): void {
    let from = start;
    let to = end;
    while (from < to && bytes[from]! <= SPACE) from++;
    while (to > from && bytes[to - 1]! <= SPACE) to--;
    this.#openAnchor(this.#push(from, to, "anchor", rel));
  }

  /** The `alt` of an image stands for the anchor around it. */
  describeAnchor(alt: string): void {
    if (this.#anchor !== NONE && !this.#alts.get(this.#anchor)) this.#alts.set(this.#anchor, collapse(alt));
  }

  closeAnchor(): void {
    const index = this.#anchor;
    if (index === NONE) return;
    this.#rows[index * PAGE_LINK_STRIDE + TEXT_END] = this.#text.position;
    if (index < this.#settled) this.#lateAnchor = index;
    this.#anchor = NONE;
  }

  /** Ends the line of text: the links in it now know their context. Each link is looked at once. */
  endLine(): void {
    const end = this.#text.position;
    if (this.#lateAnchor !== NONE) {
      this.#rows[this.#lateAnchor * PAGE_LINK_STRIDE + CONTEXT_END] = end;
      this.#lateAnchor = NONE;
    }
    for (let index = this.#settled; index < this.#length; index++) {
      this.#rows[index * PAGE_LINK_STRIDE + CONTEXT_END] = end;
    }
    this.#settled = this.#length;
    this.#lineStart = end;
  }

  /** Gives every link its text and context. Call once, when the page has ended; nothing may be called after. */
  finish(source: HtmlSource): PageLinks {
    this.closeAnchor();
    this.endLine();
    const visible = this.#text.bytes;
    const alts = this.#alts.size === 0 ? EMPTY : Buffer.from([...this.#alts.values()].join(""));
    // A copy: the buffer of the visible text is used again for the next page. In memory of its own, which can move to
    // another thread.
    const texts = Buffer.allocUnsafeSlow(visible.length + alts.length);
    visible.copy(texts);
    alts.copy(texts, visible.length);
    const places = this.#altPlaces(visible.length);
    for (let index = 0; index < this.#length; index++) this.#describe(index, texts, places.get(index));
    const rows = this.#rows.slice(0, this.#length * PAGE_LINK_STRIDE);
    if (this.#rows.length === SPARE_ROWS * PAGE_LINK_STRIDE) spare = this.#rows;
    return { length: this.#length, rows, source, hrefs: this.#hrefs, texts, paths: this.#stack.paths };
  }

  /** Where the texts that stand for links are, the first of them at `start`. */
  #altPlaces(start: number): Map<number, Place> {
    const places = new Map<number, Place>();
    let end = start;
    for (const [index, alt] of this.#alts) {
      const from = end;
      end += Buffer.byteLength(alt);
      places.set(index, [from, end]);
    }
    return places;
  }

  #describe(index: number, texts: Buffer, alt: Place | undefined): void {
    const rows = this.#rows;
    const at = index * PAGE_LINK_STRIDE;
    let start = rows[at + TEXT_START]!;
    let end = rows[at + TEXT_END]!;
    const lineStart = rows[at + CONTEXT_START]!;
    // The space before the first word of an anchor is written with that word.
    if (start < end && texts[start] === SPACE) start++;
    const focus = start === NONE ? lineStart : start;
    if (start >= end) [start, end] = alt ?? [0, 0];
    let from = 0;
    let to = 0;
    if (lineStart !== NONE) {
      contextAround(texts, lineStart, rows[at + CONTEXT_END]!, focus, this.#options.linkContext, range);
      ({ from, to } = range);
      if (isSame(texts, from, to, start, end)) to = from;
    }
    rows[at + CONTEXT_START] = from;
    rows[at + CONTEXT_END] = to;
    rows[at + TEXT_START] = start;
    rows[at + TEXT_END] = cutEnd(texts, start, end, this.#options.linkText);
  }

  #openAnchor(index: number): void {
    if (index === NONE) return;
    this.#anchor = index;
    this.#rows[index * PAGE_LINK_STRIDE + TEXT_START] = this.#text.position;
  }

  #addDecoded(href: string, type: LinkType, rel: number): number {
    const index = this.#push(this.#hrefs.length, DECODED, type, rel);
    if (index !== NONE) this.#hrefs.push(href);
    return index;
  }

  #push(hrefStart: number, hrefEnd: number, type: LinkType, rel: number): number {
    const index = this.#length;
    if (index >= this.#options.limits.links) {
      this.truncated = true;
      return NONE;
    }
    const at = index * PAGE_LINK_STRIDE;
    if (at + PAGE_LINK_STRIDE > this.#rows.length) this.#grow();
    const rows = this.#rows;
    const { position } = this.#stack;
    rows[at + HREF_START] = hrefStart;
    rows[at + HREF_END] = hrefEnd;
    rows[at + TYPE] = TYPES[type];
    rows[at + POSITION] = position;
    rows[at + REL] = rel;
    rows[at + TEXT_START] = NONE;
    rows[at + TEXT_END] = NONE;
    rows[at + CONTEXT_START] = position === HEAD ? NONE : this.#lineStart;
    rows[at + CONTEXT_END] = NONE;
    rows[at + PATH] = this.#stack.pathPlace();
    this.#length++;
    return index;
  }

  #grow(): void {
    const grown = new Int32Array(this.#rows.length * 2);
    grown.set(this.#rows);
    this.#rows = grown;
  }
}

function isSame(bytes: Buffer, from: number, to: number, start: number, end: number): boolean {
  if (from === start && to === end) return true;
  return to - from === end - start && bytes.compare(bytes, start, end, from, to) === 0;
}
