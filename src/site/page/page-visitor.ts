/** Reads one page from the scanner: keeps the open elements, and sends text, links and facts where they are collected. */

import {
  type Attributes,
  attributeSet,
  decodeText,
  type HtmlSource,
  type HtmlVisitor,
  type Tag,
  tagNamed,
} from "../../web/html/index.ts";
import { type HashedText, hashedText } from "./content-hash.ts";
import { collectElementLinks, reference } from "./element-links.ts";
import { ElementStack, FIRST_LEVEL } from "./element-stack.ts";
import {
  BLOCK,
  CELL,
  CLOSES_PARAGRAPH,
  COLLECTED,
  ELEMENTS,
  FORMATTING,
  ITEM,
  LANDMARK,
  METADATA,
  ROW,
  ROW_GROUP,
  SECTIONING,
  SILENT,
  SPACE,
  STRUCTURE,
} from "./elements.ts";
import { HeadFacts } from "./head-facts.ts";
import { HeadingText } from "./heading-text.ts";
import { CONTENT, HEAD, positionInside } from "./landmarks.ts";
import { LinkCollector } from "./link-collector.ts";
import type { PageOptions } from "./options.ts";
import { relBits } from "./rel.ts";
import { VisibleText } from "./visible-text.ts";

const STYLE_ATTRIBUTE = attributeSet("style");
const ROLE_ATTRIBUTE = attributeSet("role");

const [ANCHOR, BODY, HEAD_TAG, HTML] = [tagNamed("a"), tagNamed("body"), tagNamed("head"), tagNamed("html")];
const [TABLE, ROW_TAG, ROWS] = [tagNamed("table"), tagNamed("tr"), tagNamed("tbody")];
const [SCRIPT, STYLE, TEMPLATE, TITLE] = [
  tagNamed("script"),
  tagNamed("style"),
  tagNamed("template"),
  tagNamed("title"),
];
const [SVG, FOREIGN_OBJECT] = [tagNamed("svg"), tagNamed("foreignobject")];

// What children inherit from an open element, beside SILENT and SECTIONING.
/** In a template: not part of the page. */
const INERT = 1 << 30;
/** In SVG, where a title is not the page's. */
const IN_SVG = 1 << 29;

export class PageVisitor implements HtmlVisitor {
  language: string | null = null;
  readonly visible = new VisibleText();
  readonly hashed: HashedText | null;
  readonly links: LinkCollector;
  readonly facts: HeadFacts;
  readonly h1 = new HeadingText();
  readonly h2 = new HeadingText();
  readonly #stack = new ElementStack();
  readonly #depthLimit: number;
  /** Nothing of the body has come yet. */
  #inHead = true;
  /** The level of the open anchor, or -1. */
  #anchorLevel = -1;
  /** Elements opened above the depth limit, whose end tags close nothing. */
  #tooDeep = 0;

  constructor(options: PageOptions) {
    this.#depthLimit = options.limits.depth;
    this.hashed = hashedText(options.hash);
    this.links = new LinkCollector(options, this.#stack, this.visible);
    this.facts = new HeadFacts(options.robotsToken, this.links);
  }

  open(tag: Tag, attributes: Attributes, empty: boolean): void {
    const bits = ELEMENTS[tag.id]!;
    const stack = this.#stack;
    if ((this.#inHead || (bits & STRUCTURE) !== 0) && this.#openStructure(tag, bits, attributes)) return;
    if (bits !== 0) {
      if ((bits & CLOSES_PARAGRAPH) !== 0) this.#closeLevel(stack.openParagraph());
      if ((bits & ITEM) !== 0) this.#closeItem(bits);
      else if (tag === ANCHOR) this.#closeFormatting(stack.openAnchor());
      if ((bits & BLOCK) !== 0) this.#breakLine();
      else if ((bits & SPACE) !== 0) this.#breakWord();
    }
    const collects = (bits & COLLECTED) !== 0 || attributes.hasAny(STYLE_ATTRIBUTE);
    if (stack.depth >= this.#depthLimit) {
      if (!empty) this.#tooDeep++;
      if (collects) this.#collect(tag, attributes, -1);
    } else if (!empty) {
      this.#push(tag, bits, attributes);
      if (collects) this.#collect(tag, attributes, stack.depth - 1);
    } else if (collects) {
      this.#push(tag, bits, attributes);
      this.#collect(tag, attributes, -1);
      stack.truncate(stack.depth - 1);
    }
  }

  close(tag: Tag): void {
    const bits = ELEMENTS[tag.id]!;
    if ((bits & BLOCK) !== 0) this.#breakLine();
    else if ((bits & SPACE) !== 0) this.#breakWord();
    if ((bits & STRUCTURE) !== 0) {
      // What follows `</body>` still belongs to the body; `</head>` ends what was left open in the head.
      if (tag === HEAD_TAG && this.#inHead) this.#closeLevel(Math.min(FIRST_LEVEL, this.#stack.depth));
    } else if (this.#tooDeep > 0) {
      this.#tooDeep--;
    } else {
      const level = this.#stack.levelClosedBy(tag);
      if ((bits & FORMATTING) !== 0) this.#closeFormatting(level);
      else this.#closeLevel(level);
    }
  }

  text(source: HtmlSource, start: number, end: number, references: boolean): void {
    const stack = this.#stack;
    if (this.#inHead && stack.depth <= FIRST_LEVEL) {
      if (isBlank(source, start, end)) return;
      this.#openBody();
    }
    if ((stack.flags & SILENT) !== 0) {
      this.#silentText(source, start, end, references);
      return;
    }
    this.visible.append(source, start, end, references);
    const hashed = this.hashed;
    if (hashed !== null && (hashed.keepsNavigation || stack.position === CONTENT)) {
      hashed.append(source, start, end, references);
    }
  }

  comment(source: HtmlSource, start: number, end: number): void {
    if (this.hashed?.keepsComments) this.hashed.append(source, start, end, false);
  }

  /** Text in elements that show none: some of it is a fact. */
  #silentText(source: HtmlSource, start: number, end: number, references: boolean): void {
    const { flags, top } = this.#stack;
    if ((flags & INERT) !== 0) return;
    const { hashed } = this;
    if (top === TITLE) {
      this.facts.titleText(decodeText(source.html.slice(start, end)));
    } else if (top === STYLE) {
      this.links.addStyle(source.html.slice(start, end));
      if (hashed?.keepsStyles) hashed.append(source, start, end, references);
    } else if (top === SCRIPT && hashed?.keepsScripts) {
      hashed.append(source, start, end, references);
    }
  }

  /** Handles html, head and body, also where the page leaves them out. True when the tag itself is done with. */
  #openStructure(tag: Tag, bits: number, attributes: Attributes): boolean {
    const stack = this.#stack;
    if (stack.depth === 0) stack.push(HTML, 0, HEAD);
    if (tag === HTML) {
      this.language ??= attributes.get("lang")?.trim() ?? null;
      return true;
    }
    if (tag === HEAD_TAG) {
      if (stack.depth === 1) stack.push(HEAD_TAG, 0, HEAD);
      return true;
    }
    if (tag === BODY) {
      if (this.#inHead) this.#openBody();
      if (attributes.hasAny(STYLE_ATTRIBUTE)) this.links.addStyle(attributes.get("style") ?? "");
      return true;
    }
    // Inside a `<noscript>` or a `<template>` of the head anything may come.
    if (stack.depth > FIRST_LEVEL) return false;
    if ((bits & METADATA) === 0) this.#openBody();
    else if (stack.depth === 1) stack.push(HEAD_TAG, 0, HEAD);
    return false;
  }

  #openBody(): void {
    const stack = this.#stack;
    this.#inHead = false;
    if (stack.depth === 0) stack.push(HTML, 0, HEAD);
    this.#closeLevel(1);
    stack.push(BODY, 0, CONTENT);
  }

  #push(tag: Tag, bits: number, attributes: Attributes): void {
    const stack = this.#stack;
    const inherited = stack.flags;
    let position = stack.position;
    let flags = inherited | (bits & (SILENT | SECTIONING));
    if ((bits & LANDMARK) !== 0 || attributes.hasAny(ROLE_ATTRIBUTE)) {
      position = this.#inHead ? HEAD : positionInside(tag.name, attributes.get("role"), position, inherited);
    }
    if (tag === TEMPLATE) {
      // A shadow root written in the page is shown; other templates are not.
      if (attributes.get("shadowrootmode") === null) flags |= INERT;
      else flags = inherited;
    } else if (tag === SVG) flags |= IN_SVG;
    else if (tag === FOREIGN_OBJECT) flags &= ~IN_SVG;
    else if (tag === TITLE && (inherited & IN_SVG) !== 0) flags = inherited;
    stack.push(tag, flags, position);
  }

  /** Collects from the current element. `level` is where it is open, or -1 when its end will not be told. */
  #collect(tag: Tag, attributes: Attributes, level: number): void {
    const { flags } = this.#stack;
    if ((flags & INERT) !== 0) return;
    if (attributes.hasAny(STYLE_ATTRIBUTE)) this.links.addStyle(attributes.get("style") ?? "");
    switch (tag.name) {
      case "a":
        this.#openAnchor(attributes, level);
        break;
      case "link":
        this.facts.link(attributes);
        break;
      case "meta":
        this.facts.meta(attributes);
        break;
      case "base":
        this.facts.base(attributes);
        break;
      case "title":
        if ((flags & IN_SVG) === 0) this.facts.openTitle();
        break;
      case "h1":
        if ((flags & SILENT) === 0) this.h1.open(level, this.visible.position);
        break;
      case "h2":
        if ((flags & SILENT) === 0) this.h2.open(level, this.visible.position);
        break;
      default:
        collectElementLinks(tag.name, attributes, this.links);
    }
  }

  #openAnchor(attributes: Attributes, level: number): void {
    const href = reference(attributes);
    if (href === null) return;
    this.links.closeAnchor();
    this.links.openAnchor(href, relBits(attributes.get("rel")));
    if (level < 0) this.links.closeAnchor();
    this.#anchorLevel = level;
  }

  #closeItem(bits: number): void {
    const stack = this.#stack;
    this.#closeLevel(stack.openItem(bits));
    if ((bits & (ROW | CELL)) === 0 || stack.depth >= this.#depthLimit) return;
    // Browsers put in the row and the row group that a table leaves out; so must the paths.
    if (stack.top === TABLE && (bits & ROW) !== 0) stack.push(ROWS, stack.flags, stack.position);
    else if ((bits & CELL) !== 0 && (ELEMENTS[stack.top?.id ?? 0]! & ROW_GROUP) !== 0) {
      stack.push(ROW_TAG, stack.flags, stack.position);
    }
  }

  #closeLevel(level: number): void {
    if (level < 0) return;
    this.#stack.truncate(level);
    if (this.#anchorLevel >= level) this.#closeAnchor();
    if (this.h1.level >= level) this.h1.close(this.visible.position);
    if (this.h2.level >= level) this.h2.close(this.visible.position);
  }

  /** Closes a formatting element without the blocks that were opened inside it (13.2.6.4.7, "adoption agency"). */
  #closeFormatting(level: number): void {
    if (level < 0) return;
    if (!this.#stack.hasSpecialAbove(level)) {
      this.#closeLevel(level);
      return;
    }
    this.#stack.remove(level);
    if (this.#anchorLevel === level) this.#closeAnchor();
    else if (this.#anchorLevel > level) this.#anchorLevel--;
    if (this.h1.level > level) this.h1.level--;
    if (this.h2.level > level) this.h2.level--;
  }

  #closeAnchor(): void {
    this.#anchorLevel = -1;
    this.links.closeAnchor();
  }

  #breakLine(): void {
    this.#breakWord();
    this.links.endLine();
  }

  #breakWord(): void {
    this.visible.breakWord();
    this.hashed?.breakWord();
  }
}

function isBlank(source: HtmlSource, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (source.codes[index]! > 32) return false;
  return true;
}
