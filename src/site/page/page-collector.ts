/** Collects what a page says in its attributes and in text that is not shown: facts, and links that are not anchors. */

import {
  type Attributes,
  decodeText,
  type HtmlSource,
  type LinkWriter,
  type PageReader,
  type Tag,
  tagNamed,
} from "../../web/html/index.ts";
import { type HashedText, hashedText } from "./content-hash.ts";
import { HeadFacts } from "./head-facts.ts";
import { collectElementLinks, LinkCollector, reference } from "./link-collector.ts";
import { relFlags } from "./link-types.ts";
import type { PageOptions } from "./options.ts";
import { trimUrl } from "./trim.ts";

const SCRIPT = tagNamed("script");
const STYLE = tagNamed("style");
const TITLE = tagNamed("title");

export class PageCollector implements PageReader {
  readonly head: HeadFacts;
  /** What is hashed, when that is not the visible text. */
  readonly other: HashedText | null;
  readonly linkFlags = relFlags;
  readonly #links: LinkCollector;

  constructor(options: PageOptions, links: LinkWriter) {
    this.other = hashedText(options.hash);
    this.#links = new LinkCollector(links);
    this.head = new HeadFacts(options.robotsToken, this.#links);
  }

  element(tag: Tag, attributes: Attributes): void {
    switch (tag.name) {
      case "html":
        this.head.named.html(attributes);
        break;
      case "link":
        this.head.link(attributes);
        break;
      case "meta":
        this.head.meta(attributes);
        break;
      case "base":
        this.head.base(attributes);
        break;
      case "title":
        this.head.openTitle();
        break;
      default:
        collectElementLinks(tag.name, attributes, this.#links);
    }
  }

  style(css: string): void {
    this.#links.addStyle(css);
  }

  silentText(tag: Tag, source: HtmlSource, start: number, end: number, references: boolean): void {
    if (tag === TITLE) {
      this.head.titleText(decodeText(source.text(start, end)).replaceAll("\0", "\uFFFD"));
    } else if (tag === STYLE) {
      this.#links.addStyle(source.text(start, end));
      if (this.other?.keepsStyles) this.other.append(source, start, end, references);
    } else if (tag === SCRIPT && this.other?.keepsScripts) {
      this.other.append(source, start, end, references);
    }
  }

  anchorHref(attributes: Attributes): string | null {
    const href = reference(attributes);
    return href === null ? null : trimUrl(href);
  }
}
