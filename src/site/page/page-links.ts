/**
 * The links of a page as numbers and bytes. A page may have thousands, and most lead where others led before: an object
 * and five strings for each would cost more than reading the page.
 */
import type { HtmlSource } from "../../web/html/index.ts";
import { LINK_POSITIONS, LINK_TYPES, type PageLink } from "./page-content.ts";
import { NOFOLLOW, SPONSORED, UGC } from "./rel.ts";

/** The numbers of one link, by their place in its row. */
export const HREF_START = 0;
export const HREF_END = 1;
export const TYPE = 2;
export const POSITION = 3;
export const REL = 4;
export const TEXT_START = 5;
export const TEXT_END = 6;
export const CONTEXT_START = 7;
export const CONTEXT_END = 8;
export const PATH = 9;
export const PAGE_LINK_STRIDE = 10;

/** In `HREF_END`: the href is not in the source as such, and `HREF_START` is its place in `hrefs`. */
export const DECODED = -1;

export interface PageLinks {
  readonly length: number;
  /** `PAGE_LINK_STRIDE` numbers a link. */
  readonly rows: Int32Array;
  /** What `HREF_START` and `HREF_END` count in. */
  readonly source: HtmlSource;
  /** Hrefs that had to be decoded. */
  readonly hrefs: readonly string[];
  /** What the starts and ends of texts and contexts count in. */
  readonly texts: Buffer;
  /** DOM paths, each once. */
  readonly paths: readonly string[];
}

/** All of them as objects, for who wants to look at them: the crawl itself does not. */
export const pageLinkObjects = (links: PageLinks): PageLink[] =>
  Array.from({ length: links.length }, (_, index) => pageLink(links, index));

function pageLink({ rows, source, hrefs, texts, paths }: PageLinks, index: number): PageLink {
  const at = index * PAGE_LINK_STRIDE;
  const number = (place: number): number => rows[at + place]!;
  const text = (start: number, end: number): string => texts.toString("utf8", number(start), number(end));
  const isDecoded = number(HREF_END) === DECODED;
  return {
    href: isDecoded ? hrefs[number(HREF_START)]! : source.text(number(HREF_START), number(HREF_END)),
    type: LINK_TYPES[number(TYPE)]!,
    text: text(TEXT_START, TEXT_END),
    context: text(CONTEXT_START, CONTEXT_END),
    position: LINK_POSITIONS[number(POSITION)]!,
    domPath: paths[number(PATH)]!,
    nofollow: (number(REL) & NOFOLLOW) !== 0,
    sponsored: (number(REL) & SPONSORED) !== 0,
    ugc: (number(REL) & UGC) !== 0,
  };
}
