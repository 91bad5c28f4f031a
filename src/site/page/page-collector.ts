/** Collects what a page says in its attributes and in text that is not shown: facts, and links that are not anchors. */

import { hash } from "node:crypto";
import {
  type Attributes,
  decodeText,
  type HtmlSource,
  type LinkWriter,
  type PageReader,
  type Tag,
  tagNamed,
} from "../../web/html/index.ts";
import { AccessibilityFacts } from "./accessibility-facts.ts";
import { contentHash, type HashedText, hashedText } from "./content-hash.ts";
import { HeadFacts } from "./head-facts.ts";
import { ImageFacts } from "./image-facts.ts";
import { collectElementLinks, LinkCollector, reference } from "./link-collector.ts";
import { relFlags } from "./link-types.ts";
import { MarkupFacts } from "./markup-facts.ts";
import type { PageOptions } from "./options.ts";
import { hasPlaceholder, readingEase } from "./reading-ease.ts";
import { StructuredData } from "./structured-data/structured-data.ts";
import { textSketch } from "./text-sketch.ts";
import { trimUrl } from "./trim.ts";

const SCRIPT = tagNamed("script");
const STYLE = tagNamed("style");
const TITLE = tagNamed("title");

/** Examples are enough. */
const MOST_SCRIPTS = 20;
/** Far more than is stored of a title. */
const MOST_TITLE_BYTES = 1 << 18;
/** Far more than is written into a page. */
const MOST_STYLE_BYTES = 1 << 21;

export class PageCollector implements PageReader {
  readonly head: HeadFacts;
  readonly images = new ImageFacts();
  readonly markup = new MarkupFacts();
  readonly accessibility = new AccessibilityFacts();
  /** Null until the page has any. */
  structured: StructuredData | null = null;
  videosWithoutPoster = 0;
  readingEase: number | null = null;
  sketch: string | null = null;
  /** Percent of the visible text outside navigation, header, footer and asides. */
  ownShare: number | null = null;
  hasPlaceholder = false;
  /** Scripts loaded from a host without a checksum: the first few. */
  readonly scriptsWithoutIntegrity: string[] = [];
  #isStructured = false;
  /** The hashed text, when that is not the visible text. */
  readonly other: HashedText | null;
  readonly linkFlags = relFlags;
  textHash: string | null = null;
  /** A digest of the text that is not kept; null when all of it is kept. */
  textRest: string | null = null;
  readonly #links: LinkCollector;
  readonly #page: LinkWriter;
  readonly #options: PageOptions;

  constructor(options: PageOptions, links: LinkWriter) {
    this.#options = options;
    this.other = hashedText(options.hash);
    this.#page = links;
    this.#links = new LinkCollector(links);
    this.head = new HeadFacts(options.robotsToken, this.#links, this.markup);
  }

  element(tag: Tag, attributes: Attributes): void {
    switch (tag.name) {
      case "html":
        this.head.html(attributes);
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
      case "script":
        this.#script(attributes);
        this.markup.script(attributes, this.#page.isInHead);
        collectElementLinks(tag.name, attributes, this.#links);
        break;
      case "video":
        if (!attributes.has("poster")) this.videosWithoutPoster++;
        collectElementLinks(tag.name, attributes, this.#links);
        break;
      case "img":
        this.#image(attributes);
        collectElementLinks(tag.name, attributes, this.#links);
        break;
      case "label":
        this.accessibility.label(attributes);
        break;
      case "main":
        this.accessibility.main();
        break;
      case "picture":
        this.markup.picture();
        break;
      case "select":
      case "textarea":
        this.accessibility.field(tag, attributes, this.#page.isInLabel);
        break;
      case "input":
        this.accessibility.field(tag, attributes, this.#page.isInLabel);
        collectElementLinks(tag.name, attributes, this.#links);
        break;
      case "button":
        this.accessibility.button(attributes);
        collectElementLinks(tag.name, attributes, this.#links);
        break;
      default:
        collectElementLinks(tag.name, attributes, this.#links);
    }
  }

  noted(tag: Tag, attributes: Attributes): void {
    this.accessibility.noted(tag, attributes, this.#page.openAnchor);
    this.markup.noted(tag, attributes);
  }

  emptyButton(): void {
    this.accessibility.emptyButton();
  }

  #image(attributes: Attributes): void {
    this.images.add(attributes);
    this.markup.image(attributes, this.#page.isInPicture, this.#page.isInFirstH1);
    if (attributes.text("alt")?.trim()) this.accessibility.described(this.#page.openAnchor);
  }

  /** Resources without a scheme in their address. */
  get protocolRelative(): number {
    return this.#links.protocolRelative;
  }

  #script(attributes: Attributes): void {
    this.#isStructured =
      attributes.has("type") && attributes.get("type")?.trim().toLowerCase() === "application/ld+json";
    const src = attributes.get("src");
    if (src === null || this.scriptsWithoutIntegrity.length === MOST_SCRIPTS || !/^\s*(?:https?:)?\/\//i.test(src))
      return;
    if (!attributes.entries().some(([name]) => name === "integrity")) this.scriptsWithoutIntegrity.push(trimUrl(src));
  }

  style(css: string): void {
    this.#links.addStyle(css);
  }

  silentText(tag: Tag, source: HtmlSource, start: number, end: number, references: boolean): void {
    if (tag === TITLE) {
      const most = Math.min(end, start + MOST_TITLE_BYTES);
      this.head.titleText(decodeText(source.text(start, most)).replaceAll("\0", "\uFFFD"));
    } else if (tag === STYLE) {
      const css = source.text(start, Math.min(end, start + MOST_STYLE_BYTES));
      this.#links.addStyle(css);
      if (this.head.isAmp) this.markup.style(css);
      if (this.other?.keepsStyles) this.other.append(source, start, end, references);
    } else if (tag === SCRIPT) {
      if (this.#isStructured) {
        this.structured ??= new StructuredData();
        this.structured.add(source.text(start, Math.min(end, start + MOST_STYLE_BYTES)));
      }
      if (this.other?.keepsScripts) this.other.append(source, start, end, references);
    }
  }

  visibleText(text: Buffer, own: ArrayLike<number>): void {
    const { hash: options, limits } = this.#options;
    this.sketch = textSketch(text, own);
    this.ownShare = text.length === 0 ? null : shareOf(own, text.length);
    this.structured?.compareWith(text);
    this.readingEase = readingEase(text);
    this.hasPlaceholder = hasPlaceholder(text);
    if (this.other === null) this.textHash = contentHash(text, options);
    if (text.length > limits.text) this.textRest = hash("sha1", text.subarray(limits.text));
  }

  anchorHref(attributes: Attributes): string | null {
    const href = reference(attributes);
    return href === null ? null : trimUrl(href);
  }
}

function shareOf(ranges: ArrayLike<number>, length: number): number {
  let sum = 0;
  for (let at = 0; at + 1 < ranges.length; at += 2) sum += ranges[at + 1]! - ranges[at]!;
  return Math.round((sum * 1_000) / length) / 10;
}
