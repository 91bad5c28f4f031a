/** The links of a page while it is read: added as tags come, given their text and context once all text is known. */

import { type CssUrl, cssUrls } from "../../web/css.ts";
import type { ElementStack } from "./element-stack.ts";
import type { PageOptions } from "./options.ts";
import { LINK_POSITIONS, type LinkPosition, type LinkType, type PageLink } from "./page-content.ts";
import { NOFOLLOW, SPONSORED, UGC } from "./rel.ts";
import { collapse, cut, trimUrl } from "./trim.ts";
import type { VisibleText } from "./visible-text.ts";

const HEAD = LINK_POSITIONS.indexOf("head");
const CSS_TYPES: Record<CssUrl["kind"], LinkType> = { import: "stylesheet", font: "font", image: "image" };
/** Not known yet, or none: links in the head have no text around them. */
const NONE = -1;

export class LinkCollector {
  readonly links: PageLink[] = [];
  truncated = false;
  readonly #options: PageOptions;
  readonly #stack: ElementStack;
  readonly #text: VisibleText;
  // For each link, where its own text and its line of text begin and end in the visible text.
  readonly #textStarts: number[] = [];
  readonly #textEnds: number[] = [];
  readonly #lineStarts: number[] = [];
  readonly #lineEnds: number[] = [];
  /** Where the current line of text began. */
  #lineStart = 0;
  /** The links before this index have their line's end, but for the two below. */
  #settled = 0;
  /** The anchor that is open: its line ends only after it does. */
  #anchor = NONE;
  /** An anchor that a line ended inside of, closed since. */
  #lateAnchor = NONE;

  constructor(options: PageOptions, stack: ElementStack, text: VisibleText) {
    this.#options = options;
    this.#stack = stack;
    this.#text = text;
  }

  /**
   * Adds a link of the current element; `text` is what stands for it (`alt`). An absent or empty URL is no link, nor is
   * one that holds its data itself.
   */
  add(href: string | null, type: LinkType, text: string | null = null, rel = 0): void {
    const url = href === null ? "" : trimUrl(href);
    if (url !== "" && !/^data:/i.test(url)) this.#push(url, type, text === null ? "" : collapse(text), rel);
  }

  addStyle(css: string): void {
    for (const { url, kind } of cssUrls(css)) this.add(url, CSS_TYPES[kind]);
  }

  /** Adds an anchor, whose text is what comes until `closeAnchor`. An empty `href` is a link to the page itself. */
  openAnchor(href: string, rel: number): void {
    const index = this.#push(trimUrl(href), "anchor", "", rel);
    if (index === NONE) return;
    this.#anchor = index;
    this.#textStarts[index] = this.#text.position;
  }

  /** The `alt` of an image stands for the anchor around it. */
  describeAnchor(alt: string): void {
    const link = this.#anchor === NONE ? undefined : this.links[this.#anchor];
    if (link !== undefined && link.text === "") link.text = collapse(alt);
  }

  closeAnchor(): void {
    const index = this.#anchor;
    if (index === NONE) return;
    this.#textEnds[index] = this.#text.position;
    if (index < this.#settled) this.#lateAnchor = index;
    this.#anchor = NONE;
  }

  /** Ends the line of text: the links in it now know their context. Each link is looked at once. */
  endLine(): void {
    const end = this.#text.position;
    if (this.#lateAnchor !== NONE) {
      this.#lineEnds[this.#lateAnchor] = end;
      this.#lateAnchor = NONE;
    }
    for (let index = this.#settled; index < this.links.length; index++) this.#lineEnds[index] = end;
    this.#settled = this.links.length;
    this.#lineStart = end;
  }

  /** Gives every link its text and context. Call once, when the page has ended. */
  finish(text: string): void {
    this.closeAnchor();
    this.endLine();
    for (let index = 0; index < this.links.length; index++) this.#describe(this.links[index]!, index, text);
  }

  #describe(link: PageLink, index: number, text: string): void {
    let start = this.#textStarts[index]!;
    const end = this.#textEnds[index]!;
    if (start !== NONE) {
      // The space before the first word of an anchor is written with that word.
      if (start < end && text.charCodeAt(start) === 32) start++;
      if (start < end) link.text = text.slice(start, end);
    }
    if (this.#lineStarts[index] !== NONE) {
      const anchorStart = start === NONE ? this.#lineStarts[index]! : start;
      const context = contextAround(
        text,
        this.#lineStarts[index]!,
        this.#lineEnds[index]!,
        anchorStart,
        this.#options.linkContext,
      );
      if (context !== link.text) link.context = context;
    }
    if (link.text.length > this.#options.linkText) link.text = cut(link.text, this.#options.linkText);
  }

  #push(href: string, type: LinkType, text: string, rel: number): number {
    const index = this.links.length;
    if (index >= this.#options.limits.links) {
      this.truncated = true;
      return NONE;
    }
    const position = this.#stack.position;
    this.links.push({
      href,
      type,
      text,
      context: "",
      position: LINK_POSITIONS[position] as LinkPosition,
      domPath: this.#stack.path,
      nofollow: (rel & NOFOLLOW) !== 0,
      sponsored: (rel & SPONSORED) !== 0,
      ugc: (rel & UGC) !== 0,
    });
    this.#textStarts.push(NONE);
    this.#textEnds.push(NONE);
    this.#lineStarts.push(position === HEAD ? NONE : this.#lineStart);
    this.#lineEnds.push(NONE);
    return index;
  }
}

/** The line from `start` to `end`; when it is longer than the limit, the words of it around `focus`. */
export function contextAround(text: string, start: number, end: number, focus: number, limit: number): string {
  let from = start;
  let to = end;
  if (to - from > limit) {
    from = Math.max(start, Math.min(focus - (limit >> 2), end - limit));
    to = from + limit;
    // Whole words, where there are spaces.
    if (from > start) {
      const space = text.indexOf(" ", from);
      if (space >= 0 && space < focus) from = space;
    }
    if (to < end) {
      const space = text.lastIndexOf(" ", to);
      if (space > focus) to = space;
    }
  }
  if (from < to && text.charCodeAt(from) === 32) from++;
  return from < to ? cut(text.slice(from, to), limit) : "";
}
