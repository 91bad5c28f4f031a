/** The HTML scanner: one pass over a page, giving a visitor its tags and text as the WHATWG tokenizer sees them. */
import type { Attributes } from "./attributes.ts";
import type { Tag } from "./elements.ts";
import { type Engine, withEngine } from "./engine.ts";
import { DEFAULT_HTML_LIMITS, type HtmlLimits } from "./html-limits.ts";
import { HtmlSource } from "./html-source.ts";

export interface HtmlVisitor {
  /**
   * A start tag. `attributes` is valid during the call only. `empty` means that the element has no content and no end
   * tag: a void element of HTML, or one closed by `/>` in SVG or MathML.
   */
  open(tag: Tag, attributes: Attributes, empty: boolean): void;
  /** An end tag, whether or not an element with that name is open. */
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

/** A visitor that follows the open elements. */
export interface FollowingVisitor extends HtmlVisitor {
  /** The page has ended, and with it every open element. */
  finish(): void;
}

/** Scans a whole page with the visitor that `begin` makes. */
export function followHtml<V extends FollowingVisitor>(page: Buffer | string, begin: (elements: OpenElements) => V): V {
  return withEngine(new HtmlSource(page), DEFAULT_HTML_LIMITS.attributeLength, (engine) => {
    const visitor = begin(new OpenElements(engine));
    engine.scan(visitor);
    visitor.finish();
    return visitor;
  });
}

/** The open elements, and what a tag closes. Levels count from the root; -1 means no element. The visitor opens and closes them. */
export class OpenElements {
  readonly #engine: Engine["exports"];

  constructor(engine: Engine) {
    this.#engine = engine.exports;
    this.#engine.clearStack();
  }

  get depth(): number {
    return this.#engine.depth.value;
  }

  /** What the current element passes on: `SILENT`, `SECTIONING`, `INERT`, `IN_SVG`. */
  get flags(): number {
    return this.#engine.flags();
  }

  /** The part of the page: an index into `LINK_POSITIONS`. */
  get position(): number {
    return this.#engine.position();
  }

  /** The flags inside the current tag's element, if it were opened now. */
  flagsInside(tag: Tag): number {
    return this.#engine.flagsInside(tag.id, this.flags);
  }

  positionInside(tag: Tag): number {
    return this.#engine.positionInside(tag.id, this.position, this.flags);
  }

  /** Opens an element with a known name, or that of the current tag. */
  push(tag: Tag, flags: number, position: number): void {
    this.#engine.push(tag.id, flags, position);
  }

  /** Closes every element at this level and above. */
  truncate(level: number): void {
    this.#engine.truncate(level);
  }

  /** Removes an element from below others, as `</b>` does in `<b><p></b>`. */
  remove(level: number): void {
    this.#engine.remove(level);
  }

  /** The level that the current end tag closes down to. */
  levelClosedBy(tag: Tag): number {
    return this.#engine.levelClosedBy(tag.id);
  }

  /** The level of the open paragraph that a block ends. */
  openParagraph(): number {
    return this.#engine.openParagraph();
  }

  /** The level of the item that a new item ends, by the bits of its element. */
  openItem(bits: number): number {
    return this.#engine.openItem(bits);
  }

  /** The level of the open anchor that a new one ends. */
  openAnchor(): number {
    return this.#engine.openAnchor();
  }

  /** Whether an element that the end of formatting leaves open is above this level. */
  hasSpecialAbove(level: number): boolean {
    return this.#engine.hasSpecialAbove(level) !== 0;
  }

  isFormatting(level: number): boolean {
    return this.#engine.isFormatting(level) !== 0;
  }
}
