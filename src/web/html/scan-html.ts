/** The HTML scanner: one pass over a page, telling a visitor its tags and text as the WHATWG tokenizer sees them. */

import type { Attributes } from "./attributes.ts";
import { withEngine } from "./engine.ts";
import { HtmlSource } from "./html-source.ts";
import { DEFAULT_HTML_LIMITS, type HtmlLimits } from "./limits.ts";
import type { Tag } from "./tag.ts";

export interface HtmlVisitor {
  /**
   * A start tag. `attributes` is valid during the call only. `empty` means that the element has no content and no end
   * tag: a void element of HTML, or one closed by `/>` in SVG or MathML.
   */
  open(tag: Tag, attributes: Attributes, empty: boolean): void;
  /** An end tag, whether or not anything of that name is open. */
  close(tag: Tag): void;
  /**
   * A piece of text: the source's bytes from `start` to `end`. With `references` it may hold character references,
   * for `decodeText`; without, it is raw (script, style, CDATA). One text may come in several pieces.
   */
  text(source: HtmlSource, start: number, end: number, references: boolean): void;
  /** The content of a comment. */
  comment?(source: HtmlSource, start: number, end: number): void;
}

/** Scans a whole page: a text, or UTF-8. Never throws on any input; time and memory are linear in its length. */
export function scanHtml(page: Buffer | string, visitor: HtmlVisitor, limits: HtmlLimits = DEFAULT_HTML_LIMITS): void {
  withEngine(new HtmlSource(page), limits.attributeLength, (engine) => engine.scan(visitor));
}
