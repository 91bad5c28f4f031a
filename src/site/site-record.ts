/**
 * What is stored about one fetched URL: its facts and links, the same for the page after its scripts ran, and who is
 * notified.
 */
import type { Task } from "../kernel/task.ts";
import type { FetchError } from "../net/fetch-errors.ts";
import type { PageRow, RenderedRow } from "./facts/fact-rows.ts";
import type { SiteMeta } from "./links/link-kinds.ts";
import type { UrlAction } from "./site-gate.ts";
import type { PackedTexts } from "./text-dictionary.ts";
import type { Visit } from "./visit/site-visit.ts";

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

/** Called for every fetched URL, in the order in which they are stored. */
export interface SiteEvents {
  onVisit?: (task: Task<SiteMeta>, visit: Visit, record: SiteRecord) => void;
  /** `onVisit` reads whole pages; otherwise large pages are released as soon as they have been read. */
  readsBodies?: boolean;
  /**
   * What was decided about a URL, by its id. Called again when the decision changes, and when a stored crawl is
   * resumed.
   */
  onVerdict?: (id: number, action: UrlAction) => void;
  /** `at`: wall time in ms. */
  onFailure?: (task: Task<SiteMeta>, error: FetchError, at: number) => void;
}
