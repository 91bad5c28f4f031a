/** The entry point of `web/html`. */

export type { AttributeName, Attributes } from "./attributes.ts";
export { ELEMENTS, LINK_POSITIONS, type LinkPosition, type Tag, tagNamed } from "./elements.ts";
export { DEFAULT_HTML_LIMITS, type HtmlLimits } from "./html-limits.ts";
export { decodeText, HtmlSource } from "./html-source.ts";
export {
  type LinkWriter,
  type PageReader,
  type ReadingLimits,
  type ReadingOptions,
  readHtml,
  type TextReader,
} from "./read-html.ts";
export {
  type FollowingVisitor,
  followHtml,
  type HtmlVisitor,
  type OpenElements,
  scanHtml,
} from "./scan-html.ts";
