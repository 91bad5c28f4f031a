/** Reads a page for what a crawl wants of it: its visible text, its links, its headings. */

import type { Attributes } from "./attributes.ts";
import { type Engine, withEngine } from "./engine.ts";
import type { HtmlSource } from "./html-source.ts";
import type { HtmlLimits } from "./limits.ts";
import { LinkWriter } from "./link-writer.ts";
import type { Tag } from "./tag.ts";

export interface ReadingLimits extends HtmlLimits {
  /** Open elements followed at once. Browsers stop at 512; real pages stay under 60. */
  depth: number;
  /** Links kept for one page. A link farm has 100,000; a site map for people has under 5,000. */
  links: number;
}

export interface ReadingOptions {
  /** Characters kept of a link's text. */
  linkText: number;
  /** Characters kept of the text around a link. */
  linkContext: number;
  limits: ReadingLimits;
}

/** Takes what stands in attributes and in text that is not shown. */
export interface PageReader {
  /** An element that may have facts or links in its attributes, anchors and headings apart. */
  element(tag: Tag, attributes: Attributes): void;
  /** The `style` of an element. */
  style(css: string): void;
  /** Text in the innermost element, which shows none: a title, a style sheet, a script. */
  silentText(tag: Tag, source: HtmlSource, start: number, end: number, references: boolean): void;
  /** The address of an anchor where it cannot be taken as it is written; `null` when it has none. */
  anchorHref(attributes: Attributes): string | null;
  /** The words of a `rel`, as bits. */
  relBits(rel: string): number;
  /** Takes all text too; `null` when nothing but the visible text is wanted. */
  readonly other: TextReader | null;
}

export interface TextReader {
  /** Text that is shown, in this part of the page. */
  text(source: HtmlSource, start: number, end: number, references: boolean, position: number): void;
  comment(source: HtmlSource, start: number, end: number): void;
  /** What comes is another word. */
  breakWord(): void;
}

export interface Heading {
  /** The text of the first; `null` when there is none. */
  text: string | null;
  count: number;
}

export interface HtmlReading<R> {
  reader: R;
  h1: Heading;
  h2: Heading;
  words: number;
  /** UTF-16 code units of the visible text. */
  textLength: number;
  /** Bytes of the visible text, which are the first of `texts`. */
  textBytes: number;
  links: { rows: Int32Array; length: number; truncated: boolean; hrefs: string[]; texts: Buffer; paths: string[] };
}

/** Never throws on any HTML; time and memory are linear in its length. `begin` makes the reader of this page. */
export function readHtml<R extends PageReader>(
  source: HtmlSource,
  { linkText, linkContext, limits }: ReadingOptions,
  begin: (links: LinkWriter) => R,
): HtmlReading<R> {
  return withEngine(source, limits.attributeLength, (engine) => {
    const links = new LinkWriter(engine);
    const reader = begin(links);
    engine.exports.limitLinks(limits.links, linkText, linkContext);
    engine.read(reader, links, limits.depth);
    return finish(engine, reader, links);
  });
}

function finish<R>(engine: Engine, reader: R, links: LinkWriter): HtmlReading<R> {
  const { exports } = engine;
  const textBytes = exports.visibleBytes.value;
  const { rows, texts } = links.finish();
  const { hrefs } = links;
  const length = exports.linkCount.value;
  const truncated = exports.linksTruncated.value !== 0;
  return {
    reader,
    h1: heading(engine, 0, texts),
    h2: heading(engine, 1, texts),
    words: exports.words.value,
    textLength: exports.visibleLength(),
    textBytes,
    links: { rows, length, truncated, hrefs, texts, paths: paths(engine) },
  };
}

/** In memory, of h1 and then of h2: how many there are, where the first one's text begins and ends, and its level. */
const HEADING_NUMBERS = 4;

function heading({ exports, numbers }: Engine, place: number, texts: Buffer): Heading {
  const at = (exports.headings.value >> 2) + place * HEADING_NUMBERS;
  const count = numbers[at]!;
  return { count, text: count === 0 ? null : texts.toString("utf8", numbers[at + 1], numbers[at + 2]).trim() };
}

function paths({ exports, bytes }: Engine): string[] {
  const start = exports.paths.value;
  const end = start + exports.pathsBytes.value;
  return end === start ? [] : bytes.toString("utf8", start, end - 1).split("\n");
}
