/** The entry point of `web/html`. */

export type { AttributeName, Attributes } from "./attributes.ts";
export { ELEMENTS, LINK_POSITIONS, type LinkPosition, type Tag, tagNamed } from "./elements.ts";
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
  DEFAULT_HTML_LIMITS,
  type FollowingVisitor,
  followHtml,
  type HtmlLimits,
  type HtmlVisitor,
  type OpenElements,
  scanHtml,
} from "./scan-html.ts";
