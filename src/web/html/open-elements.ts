/** A scan by a visitor that follows the elements: which are open, and what a tag closes. */

import { type Engine, withEngine } from "./engine.ts";
import { HtmlSource } from "./html-source.ts";
import { DEFAULT_HTML_LIMITS } from "./limits.ts";
import type { HtmlVisitor } from "./scan-html.ts";
import type { Tag } from "./tag.ts";

export interface FollowingVisitor extends HtmlVisitor {
  /** The page has ended, and with it all that is open. */
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

/** Levels count from the root; -1 stands for none. Closing and opening is the visitor's to do. */
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

  /** The flags inside the element whose tag is visited, were it opened now. */
  flagsInside(tag: Tag): number {
    return this.#engine.flagsInside(tag.id, this.flags);
  }

  positionInside(tag: Tag): number {
    return this.#engine.positionInside(tag.id, this.position, this.flags);
  }

  /** Opens an element of a known name, or the one whose tag is visited. */
  push(tag: Tag, flags: number, position: number): void {
    this.#engine.push(tag.id, flags, position);
  }

  /** Closes every element at this level and above. */
  truncate(level: number): void {
    this.#engine.truncate(level);
  }

  /** Takes one element out from under others, as `</b>` does in `<b><p></b>`. */
  remove(level: number): void {
    this.#engine.remove(level);
  }

  /** The level that the end tag which is visited closes down to. */
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

  /** Whether an element that formatting does not end is open above this level. */
  hasSpecialAbove(level: number): boolean {
    return this.#engine.hasSpecialAbove(level) !== 0;
  }

  isFormatting(level: number): boolean {
    return this.#engine.isFormatting(level) !== 0;
  }
}
