/** What one HTML page says: its facts and its links. */
import { LINK_POSITIONS, type LinkPosition } from "../../web/html/index.ts";
import type { DocumentFacts } from "../facts/fact-rows.ts";
import type { PageLinks } from "./page-links.ts";

export { LINK_POSITIONS, type LinkPosition };

/** Kinds of links. A stored integer is an index into this list: add at the end, never reorder. */
export const LINK_TYPES = [
  "anchor",
  "area",
  "image",
  "script",
  "stylesheet",
  "font",
  "media",
  "iframe",
  "canonical",
  "alternate",
  "next",
  "prev",
  "icon",
  "manifest",
  "preload",
  "form",
  "refresh",
  "object",
  "other",
] as const;
export type LinkType = (typeof LINK_TYPES)[number];

export interface PageLink {
  /** As written, without white space around it, character references decoded. Not resolved against the base. */
  href: string;
  type: LinkType;
  /** The text of an anchor, or the `alt` of its image when it has no text; white space collapsed, cut at a limit. */
  text: string;
  /** The line of text around the link, cut at a limit; "" when it is the same as `text`. */
  context: string;
  position: LinkPosition;
  /** Element names from the root, the last eight at most, such as "html/body/nav/ul/li/a". */
  domPath: string;
  nofollow: boolean;
  sponsored: boolean;
  ugc: boolean;
}

export interface PageContent {
  facts: DocumentFacts;
  /** Lower-cased contents of `<meta name="robots">` and of the one addressed to this crawler. */
  metaRobots: string[];
  /** The first `<link rel="canonical">`, as written. */
  canonical: string | null;
  /** The first `<base href>`, as written. */
  baseHref: string | null;
  links: PageLinks;
  /** The page has more links than the limit. */
  linksTruncated: boolean;
}
