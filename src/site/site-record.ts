/** What is stored of one fetched URL: its facts, its links, and the same for the page after its scripts ran. */
import type { PageRow, RenderedRow } from "./facts/fact-rows.ts";
import type { PackedTexts } from "./text-dictionary.ts";

/** Bits of a link. */
export const LINK_NOFOLLOW = 1;
export const LINK_SPONSORED = 2;
export const LINK_UGC = 4;
export const LINK_INTERNAL = 8;
/** The link is only there after the page's scripts ran. */
export const LINK_RENDERED = 16;

/** Numbers of a packed link: target, type, position, flags, and the ids of its text, context and DOM path. */
export const LINK_STRIDE = 7;

export interface SiteRecord {
  page: PageRow;
  rendered: RenderedRow | null;
  /** Links packed by LINK_STRIDE: a page has a hundred of them, and an object each would cost more than the insert. */
  links: Int32Array;
  /** Texts that links of this or a later record refer to. */
  texts: PackedTexts;
  /** The page as it was sent, as `store/bodies.ts` packs it; null when it is not kept. */
  html: Uint8Array | null;
}
