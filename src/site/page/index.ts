/** The door of `site/page`. */

export { extractPage } from "./extract-page.ts";
export {
  type ContentHashOptions,
  DEFAULT_PAGE_OPTIONS,
  HASH_ALGORITHMS,
  HASH_STRIPS,
  type HashAlgorithm,
  type HashStrip,
  type PageOptions,
} from "./options.ts";
export {
  LINK_POSITIONS,
  LINK_TYPES,
  type LinkPosition,
  type LinkType,
  type PageContent,
  type PageLink,
} from "./page-content.ts";
export { type PageLinks, pageLinkObjects } from "./page-links.ts";
