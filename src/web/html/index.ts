/** The door of `web/html`. */

export { type AttributeName, type Attributes, attributeSet } from "./attributes.ts";
export { decodeText } from "./character-references.ts";
export { HtmlSource } from "./html-source.ts";
export { DEFAULT_HTML_LIMITS, type HtmlLimits } from "./limits.ts";
export { type HtmlVisitor, scanHtml, scanSource } from "./scan-html.ts";
export { TAG_IDS, type Tag, tagNamed } from "./tag.ts";
