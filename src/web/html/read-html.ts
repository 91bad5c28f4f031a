/** Reads from a page what a crawl needs: its visible text, its links and its headings. */
import type { Attributes } from "./attributes.ts";
import {
  BODY_BEFORE_HTML,
  BODY_TAGS,
  BOOKMARK_BYTES,
  DEEPEST,
  DUPLICATE_FROM,
  DUPLICATE_IDS,
  DUPLICATE_TO,
  ELEMENTS_COUNT,
  FIRST_HEADING,
  HAS_ITEMS,
  HEAD_ENDED_FROM,
  HEAD_ENDED_TO,
  HEAD_NOT_FIRST,
  HEAD_TAGS,
  SKIPPED_FROM,
  SKIPPED_TO,
} from "./document-shape.ts";
import { IN_LABEL, IN_PICTURE, SILENT } from "./element-bits.ts";
import type { Tag } from "./elements.ts";
import { type Engine, withEngine } from "./engine.ts";
import type { HtmlLimits } from "./html-limits.ts";
import type { HtmlSource } from "./html-source.ts";
import { CONTEXT_END, CONTEXT_START, PAGE_LINK_STRIDE, TEXT_END, TEXT_START } from "./link-rows.ts";

export interface ReadingLimits extends HtmlLimits {
  /** Open elements followed at once. Browsers stop at 512; real pages stay under 60. */
  depth: number;
  /** Links kept per page. A link farm has 100,000; a site map written for people has under 5,000. */
  links: number;
  /** Bytes of visible text that are handed out. The texts of links are always handed out, wherever they are. */
  text: number;
}

export interface ReadingOptions {
  /** Characters kept of a link's text. */
  linkText: number;
  /** Characters kept of the text around a link. */
  linkContext: number;
  limits: ReadingLimits;
}

/** Receives attributes and text that is not shown. */
export interface PageReader {
  /** An element that may have facts or links in its attributes, except anchors and headings. */
  element(tag: Tag, attributes: Attributes): void;
  /** An element, an anchor too, with an attribute that says what it is for, or what it does when it is clicked. */
  noted(tag: Tag, attributes: Attributes): void;
  /** A button that has ended shows no text. */
  emptyButton(): void;
  /** The `style` of an element. */
  style(css: string): void;
  /** Text of the innermost element, which is not shown: a title, a style sheet, a script. */
  silentText(tag: Tag, source: HtmlSource, start: number, end: number, references: boolean): void;
  /** The address of an anchor, if it cannot be used as written; `null` when it has none. */
  anchorHref(attributes: Attributes): string | null;
  /**
   * The whole visible text as UTF-8. It is valid during the call only. `own` says where the text outside navigation,
   * header, footer and asides begins and ends, as alternating offsets.
   */
  visibleText(text: Buffer, own: ArrayLike<number>): void;
  /** The flags that a link has by its `rel`. */
  linkFlags(rel: string): number;
  /** Also takes all text; `null` when only the visible text is wanted. */
  readonly other: TextReader | null;
}

export interface TextReader {
  /** Text that is shown, in this part of the page. */
  text(source: HtmlSource, start: number, end: number, references: boolean, position: number): void;
  comment(source: HtmlSource, start: number, end: number): void;
  /** A word ends here. */
  breakWord(): void;
}

export interface Heading {
  /** The texts of the first and the second; `null` if there isn't one. */
  text: string | null;
  second: string | null;
  count: number;
}

/**
 * How a document is built, as written. Browsers repair most mistakes, but each missing or misplaced tag costs
 * something.
 */
export interface DocumentShape {
  elements: number;
  deepest: number;
  headTags: number;
  bodyTags: number;
  isBodyBeforeHtml: boolean;
  /** Something other than `<html>` comes before `<head>`; without `<head>`, before `<body>`. */
  isHeadLate: boolean;
  /** The name of the element that ended the head before `</head>`, or "text"; null when nothing did. */
  headEndedBy: string | null;
  /** The level of the first heading; 0 for none. */
  firstHeading: number;
  /** The first two headings in a row between which a level is missing, such as h2 and h4. */
  skippedHeading: [from: number, to: number] | null;
  /** Elements whose id is already taken by an earlier element. */
  duplicateIds: number;
  duplicateId: string | null;
  /** A blank and four letters for each id and each name of an anchor; null when they are not all known. */
  bookmarks: string | null;
  /** An element describes a thing in Microdata or RDFa. */
  hasItems: boolean;
}

export interface HtmlReading<R> {
  reader: R;
  shape: DocumentShape;
  h1: Heading;
  h2: Heading;
  words: number;
  /** UTF-16 code units of the visible text. */
  textLength: number;
  /** Bytes of the visible text that are kept: the first of `texts`. */
  textBytes: number;
  links: { rows: Int32Array; length: number; leftOut: number; hrefs: string[]; texts: Buffer; paths: string[] };
}

/** Never throws on any HTML; time and memory are linear in its length. `begin` makes the reader of this page. */
export function readHtml<R extends PageReader>(
  source: HtmlSource,
  { linkText, linkContext, limits }: ReadingOptions,
  begin: (links: LinkWriter) => R,
): HtmlReading<R> {
  return withEngine(source, limits.attributeLength, (engine) => {
    const links = new LinkWriter(engine, limits);
    const reader = begin(links);
    engine.exports.limitLinks(limits.links, linkText, linkContext);
    engine.read(reader, links, limits.depth);
    return finish(engine, reader, links);
  });
}

function finish<R extends PageReader>(engine: Engine, reader: R, links: LinkWriter): HtmlReading<R> {
  const { exports } = engine;
  const { rows, texts, textBytes, visible } = links.finish();
  reader.visibleText(visible, ownText(engine, visible.length));
  const { hrefs } = links;
  const length = exports.linkCount.value;
  const leftOut = exports.linksLeftOut.value;
  return {
    reader,
    shape: shapeIn(engine),
    h1: heading(engine, 0, visible),
    h2: heading(engine, 1, visible),
    words: exports.words.value,
    textLength: exports.visibleLength(),
    textBytes,
    links: { rows, length, leftOut, hrefs, texts, paths: paths(engine) },
  };
}

function ownText({ exports, numbers }: Engine, end: number): readonly number[] {
  const from = exports.turns.value >> 2;
  const turns = [...numbers.subarray(from, from + exports.turnCount.value)];
  return turns.length % 2 === 0 ? turns : [...turns, end];
}

/** In memory, for h1 and then for h2, first and second: the count, where its text begins and ends, and its level. */
const HEADING_NUMBERS = 4;
const HEADING_LEVEL = 3;

function heading({ exports, numbers }: Engine, place: number, visible: Buffer): Heading {
  const at = (exports.headings.value >> 2) + place * 2 * HEADING_NUMBERS;
  const count = numbers[at]!;
  const text = (from: number): string => visible.toString("utf8", numbers[from + 1], numbers[from + 2]).trim();
  return { count, text: count === 0 ? null : text(at), second: count < 2 ? null : text(at + HEADING_NUMBERS) };
}

function shapeIn(engine: Engine): DocumentShape {
  const { exports, numbers, source } = engine;
  const from = exports.shape.value >> 2;
  const number = (place: number): number => numbers[from + place]!;
  const headEnd = number(HEAD_ENDED_FROM);
  const name = () => source.text(headEnd, number(HEAD_ENDED_TO)).toLowerCase();
  const duplicateIds = number(DUPLICATE_IDS);
  return {
    elements: number(ELEMENTS_COUNT),
    deepest: number(DEEPEST),
    headTags: number(HEAD_TAGS),
    bodyTags: number(BODY_TAGS),
    isBodyBeforeHtml: number(BODY_BEFORE_HTML) === 1,
    isHeadLate: number(HEAD_NOT_FIRST) === 1,
    headEndedBy: headEnd < 0 ? null : headEnd === number(HEAD_ENDED_TO) ? "text" : name(),
    firstHeading: number(FIRST_HEADING),
    skippedHeading: number(SKIPPED_TO) === 0 ? null : [number(SKIPPED_FROM), number(SKIPPED_TO)],
    duplicateIds,
    duplicateId: duplicateIds === 0 ? null : source.text(number(DUPLICATE_FROM), number(DUPLICATE_TO)),
    bookmarks: bookmarksIn(engine),
    hasItems: number(HAS_ITEMS) === 1,
  };
}

function bookmarksIn({ exports, bytes }: Engine): string | null {
  const { value: count } = exports.bookmarkCount;
  const start = exports.bookmarks.value;
  return count < 0 ? null : bytes.toString("latin1", start, start + count * BOOKMARK_BYTES);
}

function paths({ exports, bytes }: Engine): string[] {
  const start = exports.paths.value;
  const end = start + exports.pathsBytes.value;
  return end === start ? [] : bytes.toString("utf8", start, end - 1).split("\n");
}

/** Adds the links that TypeScript finds in attributes to those that the engine finds. */
export class LinkWriter {
  /** Hrefs that had to be decoded; rows refer to them by index. */
  readonly hrefs: string[] = [];
  readonly #engine: Engine;
  readonly #limits: ReadingLimits;
  /** The `alt` for links without text of their own, by the link's number. */
  readonly #alts = new Map<number, string>();

  constructor(engine: Engine, limits: ReadingLimits) {
    this.#engine = engine;
    this.#limits = limits;
  }

  /** Adds a link of the current element, and returns its number; -1 when the page has too many. */
  add(href: string, type: number, rel: number): number {
    const link = this.#engine.exports.addLink(this.hrefs.length, type, rel);
    if (link >= 0) this.hrefs.push(href);
    return link;
  }

  /** Keeps the address of an anchor that the engine adds, and returns its index. Beyond the limit, the engine adds none. */
  keepHref(href: string): number {
    if (this.#engine.exports.linkCount.value >= this.#limits.links) return 0;
    return this.hrefs.push(href) - 1;
  }

  /** The current element is in the head, as a browser places it. */
  get isInHead(): boolean {
    return this.#engine.exports.inHead.value !== 0;
  }

  /** The current element, which has no end tag, is in a `<noscript>`: where scripts run, it does not exist. */
  get isWithoutScripts(): boolean {
    return (this.#engine.exports.flags() & SILENT) !== 0;
  }

  /** The current element is in a `<label>`. */
  get isInLabel(): boolean {
    return (this.#engine.exports.flags() & IN_LABEL) !== 0;
  }

  /** The current element is in a `<picture>`. */
  get isInPicture(): boolean {
    return (this.#engine.exports.flags() & IN_PICTURE) !== 0;
  }

  /** The current element is in the first h1. */
  get isInFirstH1(): boolean {
    return this.#engine.numbers[(this.#engine.exports.headings.value >> 2) + HEADING_LEVEL]! >= 0;
  }

  /** The number of the anchor that is open, or -1. */
  get openAnchor(): number {
    return this.#engine.exports.anchor.value;
  }

  /** Sets the text of a link without text of its own; the first call counts. */
  describe(link: number, alt: string): void {
    if (!this.#alts.get(link)) this.#alts.set(link, alt);
  }

  /** Gives every link its text and context. Call once, when the page has ended. */
  finish(): LinkTexts {
    const { exports } = this.#engine;
    const alts = Buffer.from([...this.#alts.values()].join(""));
    const { value: visibleBytes } = exports.visibleBytes;
    alts.copy(this.#engine.bytes, exports.roomForAlts(alts.length));
    let end = visibleBytes;
    for (const [link, alt] of this.#alts) {
      const start = end;
      end += Buffer.byteLength(alt);
      exports.describeByAlt(link, start, end);
    }
    exports.describeLinks();
    const all = this.#engine.bytes.subarray(exports.visible.value, exports.visible.value + end);
    // Copies that can move to another thread; the engine's memory is reused for the next page.
    const from = exports.rows.value >> 2;
    const rows = this.#engine.numbers.slice(from, from + exports.linkCount.value * PAGE_LINK_STRIDE);
    const visible = all.subarray(0, visibleBytes);
    const most = this.#limits.text;
    if (visibleBytes > most) return { rows, visible, ...shortened(all, rows, characterStart(all, most)) };
    const texts = Buffer.allocUnsafeSlow(end);
    all.copy(texts);
    return { rows, visible, texts, textBytes: visibleBytes };
  }
}

interface LinkTexts {
  rows: Int32Array;
  /** What `rows` count in: the visible text, as far as it is kept, followed by the texts of links. */
  texts: Buffer;
  textBytes: number;
  /** The whole visible text, in the engine's memory. */
  visible: Buffer;
}

/** The beginning of the text, followed by the texts of later links. Changes the rows to count in it. */
function shortened(all: Buffer, rows: Int32Array, kept: number): { texts: Buffer; textBytes: number } {
  const pieces = [Buffer.from(all.subarray(0, kept))];
  let length = kept;
  for (const [startColumn, endColumn] of [
    [CONTEXT_START, CONTEXT_END],
    [TEXT_START, TEXT_END],
  ] as const) {
    let [lastStart, lastEnd] = [0, 0];
    for (let at = 0; at < rows.length; at += PAGE_LINK_STRIDE) {
      const start = rows[at + startColumn]!;
      const end = rows[at + endColumn]!;
      if (end <= kept || end <= start) continue;
      // Links on one line share their context.
      if (start !== lastStart || end !== lastEnd) {
        pieces.push(Buffer.from(all.subarray(start, end)));
        length += end - start;
        [lastStart, lastEnd] = [start, end];
      }
      rows[at + startColumn] = length - (end - start);
      rows[at + endColumn] = length;
    }
  }
  return { texts: Buffer.concat(pieces, length), textBytes: kept };
}

/** Where the character that has a byte here begins. */
function characterStart(text: Buffer, at: number): number {
  let start = at;
  while (start > 0 && (text[start]! & 0xc0) === 0x80) start--;
  return start;
}
