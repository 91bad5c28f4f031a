/** Collects the content of a page from its elements and their text: facts, links, headings, visible text. */

import {
  type Attributes,
  attributeSet,
  decodeText,
  type HtmlSource,
  type Tag,
  tagNamed,
} from "../../web/html/index.ts";
import { type HashedText, hashedText } from "./content-hash.ts";
import { collectElementLinks, reference } from "./element-links.ts";
import type { ElementStack } from "./element-stack.ts";
import { SILENT } from "./elements.ts";
import { HeadFacts } from "./head-facts.ts";
import { HeadingText } from "./heading-text.ts";
import { IN_SVG, INERT } from "./inheritance.ts";
import { CONTENT } from "./landmarks.ts";
import { LinkCollector } from "./link-collector.ts";
import type { PageOptions } from "./options.ts";
import { relBits } from "./rel.ts";
import { VisibleText } from "./visible-text.ts";

export const STYLE_ATTRIBUTE = attributeSet("style");

const SCRIPT = tagNamed("script");
const STYLE = tagNamed("style");
const TITLE = tagNamed("title");

export class PageCollector {
  readonly visible = new VisibleText();
  /** What is hashed, when that is not the visible text. */
  readonly hashed: HashedText | null;
  readonly links: LinkCollector;
  readonly facts: HeadFacts;
  readonly h1 = new HeadingText();
  readonly h2 = new HeadingText();
  readonly #stack: ElementStack;
  /** The level of the open anchor, or -1. */
  #anchorLevel = -1;

  constructor(options: PageOptions, stack: ElementStack) {
    this.#stack = stack;
    this.hashed = hashedText(options.hash);
    this.links = new LinkCollector(options, stack, this.visible);
    this.facts = new HeadFacts(options.robotsToken, this.links);
  }

  /** Takes the current element. `level` is where it is open, or -1 when its end will not be told. */
  element(tag: Tag, attributes: Attributes, level: number): void {
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

  text(source: HtmlSource, start: number, end: number, references: boolean): void {
    const stack = this.#stack;
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

  breakLine(): void {
    this.breakWord();
    this.links.endLine();
  }

  breakWord(): void {
    this.visible.breakWord();
    this.hashed?.breakWord();
  }

  /** The elements at this level and above have ended. */
  levelsClosed(level: number): void {
    if (this.#anchorLevel >= level) this.#closeAnchor();
    if (this.h1.level >= level) this.h1.close(this.visible.position);
    if (this.h2.level >= level) this.h2.close(this.visible.position);
  }

  /** The formatting element at this level has ended, and those above have moved down. */
  levelRemoved(level: number): void {
    if (this.#anchorLevel === level) this.#closeAnchor();
    else if (this.#anchorLevel > level) this.#anchorLevel--;
    if (this.h1.level > level) this.h1.level--;
    if (this.h2.level > level) this.h2.level--;
  }

  /** Text in elements that show none: some of it is a fact. */
  #silentText(source: HtmlSource, start: number, end: number, references: boolean): void {
    const { flags, top } = this.#stack;
    if ((flags & INERT) !== 0) return;
    const { hashed } = this;
    if (top === TITLE) {
      this.facts.titleText(decodeText(source.text(start, end)));
    } else if (top === STYLE) {
      this.links.addStyle(source.text(start, end));
      if (hashed?.keepsStyles) hashed.append(source, start, end, references);
    } else if (top === SCRIPT && hashed?.keepsScripts) {
      hashed.append(source, start, end, references);
    }
  }

  #openAnchor(attributes: Attributes, level: number): void {
    const rel = relBits(attributes.get("rel"));
    if (attributes.isPlain("href")) {
      this.links.closeAnchor();
      this.links.openPlainAnchor(attributes.source, attributes.start("href"), attributes.end("href"), rel);
    } else {
      const href = reference(attributes);
      if (href === null) return;
      this.links.closeAnchor();
      this.links.openAnchor(href, rel);
    }
    if (level < 0) this.links.closeAnchor();
    this.#anchorLevel = level;
  }

  #closeAnchor(): void {
    this.#anchorLevel = -1;
    this.links.closeAnchor();
  }
}
