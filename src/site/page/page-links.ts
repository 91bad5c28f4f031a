/**
 * The links of a page as numbers and bytes. A page may have thousands, and most lead where others led before: an object
 * and five strings for each would cost more than reading the page.
 */
import type { HtmlSource } from "../../web/html/index.ts";
import {
  CONTEXT_END,
  CONTEXT_START,
  DECODED,
  FLAGS,
  HREF_END,
  HREF_START,
  PAGE_LINK_STRIDE,
  PATH,
  POSITION,
  TEXT_END,
  TEXT_START,
  TYPE,
} from "../../web/html/link-rows.ts";
import { LINK_NOFOLLOW, LINK_SPONSORED, LINK_UGC } from "./link-flags.ts";
import { LINK_POSITIONS, LINK_TYPES, type PageLink } from "./page-content.ts";

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
    nofollow: (number(FLAGS) & LINK_NOFOLLOW) !== 0,
    sponsored: (number(FLAGS) & LINK_SPONSORED) !== 0,
    ugc: (number(FLAGS) & LINK_UGC) !== 0,
  };
}
