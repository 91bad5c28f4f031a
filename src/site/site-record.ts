/** What is stored about one fetched URL: its facts, its links, and the same for the page after its scripts ran. */
import type { PageRow, RenderedRow } from "./facts/fact-rows.ts";
import type { PackedTexts } from "./text-dictionary.ts";

export interface SiteRecord {
  page: PageRow;
  rendered: RenderedRow | null;
  /** The first STORED_LINK_STRIDE numbers of each link's row, see `web/html/link-rows.ts`: a page has a hundred of them, and an object each would cost more than the insert. */
  links: Int32Array;
  /** Texts that links of this or a later record refer to. */
  texts: PackedTexts;
  /** The page as sent, packed by `store/bodies.ts`; null when it is not stored. */
  html: Uint8Array | null;
}
