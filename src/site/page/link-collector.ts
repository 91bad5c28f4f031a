/** The links in attributes and style sheets: those that are none are left out, the others go to the page's rows. */

import { type CssUrl, cssUrls } from "../../web/css.ts";
import type { LinkWriter } from "../../web/html/index.ts";
import { LINK_TYPES, type LinkType } from "./page-content.ts";
import { collapse, trimUrl } from "./trim.ts";

const TYPES = Object.fromEntries(LINK_TYPES.map((type, index) => [type, index])) as Record<LinkType, number>;
const CSS_TYPES: Record<CssUrl["kind"], LinkType> = { import: "stylesheet", font: "font", image: "image" };

export class LinkCollector {
  readonly #links: LinkWriter;

  constructor(links: LinkWriter) {
    this.#links = links;
  }

  /**
   * Adds a link of the current element; `text` is what stands for it (`alt`). An absent or empty URL is no link, nor is
   * one that holds its data itself.
   */
  add(href: string | null, type: LinkType, text: string | null = null, flags = 0): void {
    const url = href === null ? "" : trimUrl(href);
    if (url === "" || /^data:/i.test(url)) return;
    const link = this.#links.add(url, TYPES[type], flags);
    if (link >= 0 && text !== null) this.#links.describe(link, collapse(text));
  }

  addStyle(css: string): void {
    for (const { url, kind } of cssUrls(css)) this.add(url, CSS_TYPES[kind]);
  }

  /** The `alt` of an image stands for the anchor around it. */
  describeAnchor(alt: string): void {
    const anchor = this.#links.openAnchor;
    if (anchor >= 0) this.#links.describe(anchor, collapse(alt));
  }
}
