/** Follows the elements of a page as a browser would open and close them, and hands their content to the collector. */

import {
  type Attributes,
  attributeSet,
  type HtmlSource,
  type HtmlVisitor,
  type Tag,
  tagNamed,
} from "../../web/html/index.ts";
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
  SPACE,
  STRUCTURE,
} from "./elements.ts";
import { flagsInside } from "./inheritance.ts";
import { CONTENT, HEAD, positionInside } from "./landmarks.ts";
import type { PageOptions } from "./options.ts";
import { PageCollector, STYLE_ATTRIBUTE } from "./page-collector.ts";

const ROLE_ATTRIBUTE = attributeSet("role");

const ANCHOR = tagNamed("a");
const BODY = tagNamed("body");
const HEAD_TAG = tagNamed("head");
const HTML = tagNamed("html");
const LINE_BREAK = tagNamed("br");
const PARAGRAPH = tagNamed("p");
const ROW_TAG = tagNamed("tr");
const ROWS = tagNamed("tbody");
const TABLE = tagNamed("table");

export class PageVisitor implements HtmlVisitor {
  language: string | null = null;
  readonly content: PageCollector;
  readonly #stack = new ElementStack();
  readonly #lastLevel: number;
  /** Nothing of the body has come yet. */
  #inHead = true;
  /** Elements open at the last level and below it. They share that level: each takes the place of the one before. */
  #tooDeep = 0;

  constructor(options: PageOptions) {
    this.#lastLevel = options.limits.depth - 1;
    this.content = new PageCollector(options, this.#stack);
  }

  open(tag: Tag, attributes: Attributes, empty: boolean): void {
    const bits = ELEMENTS[tag.id]!;
    const stack = this.#stack;
    if ((this.#inHead || (bits & STRUCTURE) !== 0) && this.#openStructure(tag, bits, attributes)) return;
    if (bits !== 0) {
      if ((bits & CLOSES_PARAGRAPH) !== 0) this.#closeLevel(stack.openParagraph());
      if ((bits & ITEM) !== 0) this.#closeItem(bits);
      else if (tag === ANCHOR) this.#closeFormatting(stack.openAnchor());
      if ((bits & BLOCK) !== 0) this.content.breakLine();
      else if ((bits & SPACE) !== 0) this.content.breakWord();
    }
    const collects = (bits & COLLECTED) !== 0 || attributes.hasAny(STYLE_ATTRIBUTE);
    if (!empty) {
      if (stack.depth >= this.#lastLevel) this.#openTooDeep();
      this.#push(tag, bits, attributes);
      if (collects) this.content.element(tag, attributes, stack.depth - 1);
    } else if (collects && stack.depth > this.#lastLevel) {
      this.content.element(tag, attributes, -1);
    } else if (collects) {
      this.#push(tag, bits, attributes);
      this.content.element(tag, attributes, -1);
      stack.truncate(stack.depth - 1);
    }
  }

  close(tag: Tag): void {
    const bits = ELEMENTS[tag.id]!;
    if ((bits & STRUCTURE) !== 0) {
      // What follows `</body>` still belongs to the body; `</head>` ends what was left open in the head.
      if (tag === HEAD_TAG && this.#inHead) this.#closeLevel(Math.min(FIRST_LEVEL, this.#stack.depth));
      return;
    }
    if (this.#tooDeep > 0) {
      if (this.#stack.depth > this.#lastLevel && tag === this.#stack.top) this.#closeLevel(this.#lastLevel);
      else this.#tooDeep--;
    } else {
      const level = this.#stack.levelClosedBy(tag);
      if ((bits & FORMATTING) !== 0) this.#closeFormatting(level);
      else this.#closeLevel(level);
      // A stray end tag does nothing, but `</p>` makes an empty paragraph and `</br>` a line break.
      if (level < 0 && tag !== PARAGRAPH && tag !== LINE_BREAK) return;
    }
    if ((bits & BLOCK) !== 0) this.content.breakLine();
    else if ((bits & SPACE) !== 0) this.content.breakWord();
  }

  text(source: HtmlSource, start: number, end: number, references: boolean): void {
    if (this.#inHead && this.#stack.depth <= FIRST_LEVEL) {
      if (isBlank(source, start, end)) return;
      this.#openBody();
    }
    this.content.text(source, start, end, references);
  }

  comment(source: HtmlSource, start: number, end: number): void {
    this.content.comment(source, start, end);
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
      if (attributes.hasAny(STYLE_ATTRIBUTE)) this.content.links.addStyle(attributes.get("style") ?? "");
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
    const around = stack.flags;
    let position = stack.position;
    if (!this.#inHead && ((bits & LANDMARK) !== 0 || attributes.hasAny(ROLE_ATTRIBUTE))) {
      position = positionInside(tag.name, attributes.get("role"), position, around);
    }
    stack.push(tag, flagsInside(tag, bits, attributes, around), position);
  }

  #closeItem(bits: number): void {
    const stack = this.#stack;
    this.#closeLevel(stack.openItem(bits));
    if ((bits & (ROW | CELL)) === 0 || stack.depth > this.#lastLevel) return;
    // Browsers put in the row and the row group that a table leaves out; so must the paths.
    if (stack.top === TABLE) stack.push(ROWS, stack.flags, stack.position);
    if ((bits & CELL) !== 0 && stack.top !== null && (ELEMENTS[stack.top.id]! & ROW_GROUP) !== 0) {
      stack.push(ROW_TAG, stack.flags, stack.position);
    }
  }

  /** As browsers do: nested no deeper, an element still begins and ends, so a script stays one and a heading keeps its text. */
  #openTooDeep(): void {
    this.#tooDeep++;
    this.#stack.truncate(this.#lastLevel);
    this.content.levelsClosed(this.#lastLevel);
  }

  #closeLevel(level: number): void {
    if (level < 0) return;
    if (this.#tooDeep > 0) this.#tooDeep = level < this.#lastLevel ? 0 : this.#tooDeep - 1;
    this.#stack.truncate(level);
    this.content.levelsClosed(level);
  }

  /**
   * Closes a formatting element without the blocks and formatting that were opened inside it and go on: the short form
   * of what browsers do (13.2.6.4.7, "adoption agency", and "reconstruct the active formatting elements").
   */
  #closeFormatting(level: number): void {
    if (level < 0) return;
    if (level === this.#stack.depth - 1) {
      this.#closeLevel(level);
      return;
    }
    const keeps = this.#stack.hasSpecialAbove(level);
    for (let above = this.#stack.depth - 1; above >= level; above--) {
      if (above === level || !(keeps || this.#stack.isFormatting(above))) {
        this.#stack.remove(above);
        this.content.levelRemoved(above);
      }
    }
  }
}

function isBlank(source: HtmlSource, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (source.bytes[index]! > 32) return false;
  return true;
}
