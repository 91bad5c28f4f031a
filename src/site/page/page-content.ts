/** What one HTML page says: its facts and its links. */

// Not imported from the index: readers of a crawl need only the names, not the engine.
import { LINK_POSITIONS, type LinkPosition } from "../../web/html/elements.ts";
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

import type { DocumentFacts } from "../facts/fact-rows.ts";
import { KINDS, LINK_NOFOLLOW, LINK_SPONSORED, LINK_TYPES, LINK_UGC, type LinkType } from "./link-types.ts";

export { LINK_POSITIONS, LINK_TYPES, type LinkPosition, type LinkType };

export interface PageLink {
  /** As written, trimmed, with character references decoded. Not resolved against the base. */
  href: string;
  type: LinkType;
  /** The text of an anchor, or the `alt` of its image when it has no text; white space collapsed, cut at a limit. */
  text: string;
  /** The line of text around the link, cut at a limit; "" when it is the same as `text`. */
  context: string;
  position: LinkPosition;
  /** Element names from the root, at most the last eight, such as "html/body/nav/ul/li/a". */
  domPath: string;
  nofollow: boolean;
  sponsored: boolean;
  ugc: boolean;
}

export interface PageContent {
  facts: DocumentFacts;
  /** Lower-cased contents of `<meta name="robots">` and of the meta element for this crawler. */
  metaRobots: string[];
  /** The first `<link rel="canonical">`, as written. */
  canonical: string | null;
  /** The first `<base href>`, as written. */
  baseHref: string | null;
  links: PageLinks;
  /** Bytes of the visible text that are kept: the first of the links' texts. */
  textBytes: number;
  /** A digest of the visible text that is not kept; null when all of it is kept. */
  textRest: string | null;
  /** Links beyond the limit. */
  linksLeftOut: number;
}

/**
 * The links of a page as numbers and bytes. A page may have thousands, and most have the same targets as earlier links,
 * so an object and five strings for each would cost more than reading the page.
 */
export interface PageLinks {
  readonly length: number;
  /** `PAGE_LINK_STRIDE` numbers per link. */
  readonly rows: Int32Array;
  /** The buffer that `HREF_START` and `HREF_END` point into. */
  readonly source: HtmlSource;
  /** Hrefs that had to be decoded. */
  readonly hrefs: readonly string[];
  /** The buffer that the starts and ends of texts and contexts point into. */
  readonly texts: Buffer;
  /** DOM paths, each once. */
  readonly paths: readonly string[];
  /** The places in the page that links can lead to: see `bookmarks.ts`. */
  readonly bookmarks: string | null;
}

/** All of them as objects, for tests and tools; the crawl itself does not need them. */
export const pageLinkObjects = (links: PageLinks): PageLink[] =>
  Array.from({ length: links.length }, (_, index) => pageLink(links, index));

function pageLink({ rows, source, hrefs, texts, paths }: PageLinks, index: number): PageLink {
  const at = index * PAGE_LINK_STRIDE;
  const number = (place: number): number => rows[at + place]!;
  const text = (start: number, end: number): string => texts.toString("utf8", number(start), number(end));
  const isDecoded = number(HREF_END) === DECODED;
  return {
    href: isDecoded ? hrefs[number(HREF_START)]! : source.text(number(HREF_START), number(HREF_END)),
    type: KINDS[number(TYPE)] as LinkType,
    text: text(TEXT_START, TEXT_END),
    context: text(CONTEXT_START, CONTEXT_END),
    position: LINK_POSITIONS[number(POSITION)]!,
    domPath: paths[number(PATH)]!,
    nofollow: (number(FLAGS) & LINK_NOFOLLOW) !== 0,
    sponsored: (number(FLAGS) & LINK_SPONSORED) !== 0,
    ugc: (number(FLAGS) & LINK_UGC) !== 0,
  };
}
