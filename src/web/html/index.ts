/** The door of `web/html`. */

export type { AttributeName, Attributes } from "./attributes.ts";
export { decodeText } from "./character-references.ts";
export { ELEMENTS } from "./elements.ts";
export { HtmlSource } from "./html-source.ts";
export { LINK_POSITIONS, type LinkPosition } from "./landmarks.ts";
export { DEFAULT_HTML_LIMITS, type HtmlLimits } from "./limits.ts";
export type { LinkWriter } from "./link-writer.ts";
export { type FollowingVisitor, followHtml, type OpenElements } from "./open-elements.ts";
export { type PageReader, type ReadingLimits, type ReadingOptions, readHtml, type TextReader } from "./read-html.ts";
export { type HtmlVisitor, scanHtml } from "./scan-html.ts";
export { type Tag, tagNamed } from "./tag.ts";
