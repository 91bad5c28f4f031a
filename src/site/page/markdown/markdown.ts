/** A page as Markdown: headings, paragraphs, lists, links, code and tables of its main part, for people and agents to read. */
import {
  BLOCK,
  CLOSES_PARAGRAPH,
  FORMATTING,
  IN_SVG,
  ITEM,
  SILENT,
  SPACE,
  STRUCTURE,
} from "../../../web/html/element-bits.ts";
import {
  type Attributes,
  decodeText,
  ELEMENTS,
  type FollowingVisitor,
  followHtml,
  type HtmlSource,
  LINK_POSITIONS,
  type OpenElements,
  type Tag,
  tagNamed,
} from "../../../web/html/index.ts";
import { DEFAULT_PAGE_OPTIONS } from "../options.ts";
import { type End, MarkdownElements } from "./markdown-elements.ts";
import { withoutControls } from "./markdown-writer.ts";

export interface MarkdownOptions {
  /** The page's address, for its relative links. */
  url: string;
  /** The whole page, with navigation, footer and asides; otherwise its `<main>`, or everything except those parts. */
  everything?: boolean;
}

/**
 * Never throws on any HTML; time and memory are linear in its length. No tag of the page becomes a tag in the result.
 */
export function htmlToMarkdown(html: string, { url, everything = false }: MarkdownOptions): string {
  const visitor = followHtml(html, (elements) => new MarkdownVisitor(url, everything, elements));
  const { writer, main } = visitor.elements;
  const mainPart = main === null || everything ? "" : writer.read(main.from, main.to);
  // An empty `<main>` is filled by scripts; the rest of the page is better than nothing.
  return mainPart === "" ? writer.read(0, writer.position) : mainPart;
}

/** Parts that are the same on every page of a site. The header is not listed: it often contains the title. */
const LEFT_OUT: ReadonlySet<number> = new Set(
  (["navigation", "footer", "aside"] as const).map((position) => LINK_POSITIONS.indexOf(position)),
);

const CONTENT = LINK_POSITIONS.indexOf("content");

const ANCHOR = tagNamed("a");
const BASE = tagNamed("base");
const SELECT = tagNamed("select");

/** Follows the elements of a page as a browser would open and close them, and leaves out what is not shown. */
class MarkdownVisitor implements FollowingVisitor {
  readonly elements: MarkdownElements;
  readonly #everything: boolean;
  readonly #stack: OpenElements;
  /** How to end each open element. */
  readonly #ends: (End | null)[] = [];
  /** Elements that were opened beyond the depth limit, whose end tags close nothing, … */
  #tooDeep = 0;
  /** … and the one of them whose text is not read. */
  #muted: Tag | null = null;

  constructor(url: string, everything: boolean, stack: OpenElements) {
    this.elements = new MarkdownElements(url);
    this.#everything = everything;
    this.#stack = stack;
    // A page has these elements whether they are written or not, so their tags are ignored.
    for (const name of ["html", "body"]) this.#push(tagNamed(name), 0, CONTENT, null);
  }

  open(tag: Tag, attributes: Attributes, empty: boolean): void {
    const bits = ELEMENTS[tag.id]!;
    if ((bits & STRUCTURE) !== 0) return;
    const stack = this.#stack;
    if ((bits & CLOSES_PARAGRAPH) !== 0) this.#closeLevel(stack.openParagraph());
    if ((bits & ITEM) !== 0) this.#closeLevel(stack.openItem(bits));
    else if (tag === ANCHOR) this.#closeFormatting(stack.openAnchor());
    this.#breakAt(bits);
    if (!empty && stack.depth >= DEFAULT_PAGE_OPTIONS.limits.depth) {
      this.#tooDeep++;
      if ((bits & SILENT) !== 0) this.#muted ??= tag;
      return;
    }
    const position = stack.positionInside(tag);
    const flags = stack.flagsInside(tag) | (tag === SELECT ? SILENT : 0);
    const isShown = this.#isShown(flags, position);
    if (tag === BASE) this.elements.base(attributes);
    else if (!empty) this.#push(tag, flags, position, isShown ? this.elements.begin(tag, bits, attributes) : null);
    else if (isShown) this.elements.empty(tag, attributes);
  }

  close(tag: Tag): void {
    const bits = ELEMENTS[tag.id]!;
    if ((bits & STRUCTURE) !== 0) return;
    if (this.#tooDeep > 0) {
      this.#tooDeep--;
      if (tag === this.#muted) this.#muted = null;
    } else {
      const level = this.#stack.levelClosedBy(tag);
      if ((bits & FORMATTING) !== 0) this.#closeFormatting(level);
      else this.#closeLevel(level);
    }
    this.#breakAt(bits);
  }

  text(source: HtmlSource, start: number, end: number, references: boolean): void {
    if (this.#muted !== null || !this.#isShown(this.#stack.flags, this.#stack.position)) return;
    const raw = source.text(start, end);
    this.elements.text(withoutControls(references ? decodeText(raw) : raw));
  }

  /** The page has ended, and with it all open elements. */
  finish(): void {
    this.#closeLevel(0);
    this.elements.writer.endBlock();
  }

  #isShown(flags: number, position: number): boolean {
    return (flags & (SILENT | IN_SVG)) === 0 && (this.#everything || !LEFT_OUT.has(position));
  }

  #breakAt(bits: number): void {
    if (!this.#isShown(this.#stack.flags, this.#stack.position)) return;
    if ((bits & BLOCK) !== 0) this.elements.breakLine();
    else if ((bits & SPACE) !== 0) this.elements.breakWord();
  }

  #push(tag: Tag, flags: number, position: number, end: End | null): void {
    this.#stack.push(tag, flags, position);
    this.#ends.push(end);
  }

  #closeLevel(level: number): void {
    if (level < 0) return;
    while (this.#ends.length > level) this.#ends.pop()?.();
    this.#stack.truncate(level);
  }

  /** As in `PageVisitor`: a formatting element ends without the blocks and formatting opened inside it. */
  #closeFormatting(level: number): void {
    if (level < 0) return;
    const keeps = this.#stack.hasSpecialAbove(level);
    for (let above = this.#stack.depth - 1; above >= level; above--) {
      if (above !== level && (keeps || this.#stack.isFormatting(above))) continue;
      this.#stack.remove(above);
      this.#ends.splice(above, 1)[0]?.();
    }
  }
}
