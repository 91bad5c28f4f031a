/** Collects the links in attributes and style sheets, and leaves out what is not a link. */
import { type CssUrl, cssUrls } from "../../web/css.ts";
import type { Attributes, LinkWriter } from "../../web/html/index.ts";
import { srcsetUrls } from "../../web/srcset.ts";
import { KINDS, type LinkType, relFlags } from "./link-types.ts";
import { collapse, trimUrl } from "./trim.ts";

const TYPES = Object.fromEntries(KINDS.map((kind, index) => [kind, index])) as Record<LinkType, number>;
/** What browsers load with the page. */
const LOADED: ReadonlySet<LinkType> = new Set(["image", "script", "stylesheet", "font", "media", "iframe", "object"]);
const CSS_TYPES: Record<CssUrl["kind"], LinkType> = { import: "stylesheet", font: "font", image: "image" };

export class LinkCollector {
  /** Resources whose address begins with `//`. */
  protocolRelative = 0;
  readonly #links: LinkWriter;

  constructor(links: LinkWriter) {
    this.#links = links;
  }

  /** The current element is in the head. */
  get isInHead(): boolean {
    return this.#links.isInHead;
  }

  /** The current element is in a `<noscript>`. */
  get isWithoutScripts(): boolean {
    return this.#links.isWithoutScripts;
  }

  /**
   * Adds a link of the current element; `text` is its replacement text (`alt`). An absent or empty URL is not a link,
   * nor is a URL that contains its own data.
   */
  add(href: string | null, type: LinkType, text: string | null = null, flags = 0): void {
    const url = href === null ? "" : trimUrl(href);
    if (url === "" || /^data:/i.test(url)) return;
    if (url.startsWith("//") && LOADED.has(type)) this.protocolRelative++;
    const link = this.#links.add(url, TYPES[type], flags);
    if (link >= 0 && text !== null) this.#links.describe(link, collapse(text));
  }

  addStyle(css: string): void {
    for (const { url, kind } of cssUrls(css)) this.add(url, CSS_TYPES[kind]);
  }

  /** The `alt` of an image is the text of the anchor around it. */
  describeAnchor(alt: string): void {
    const anchor = this.#links.openAnchor;
    if (anchor >= 0) this.#links.describe(anchor, collapse(alt));
  }
}

/** The links in the attributes of an element of the body. */
export function collectElementLinks(name: string, attributes: Attributes, links: LinkCollector): void {
  switch (name) {
    case "img":
    case "image":
      collectImage(attributes, links);
      break;
    // Obsolete, and loaded by every browser.
    case "body":
    case "table":
    case "thead":
    case "tbody":
    case "tfoot":
    case "tr":
    case "td":
    case "th":
      links.add(attributes.get("background"), "image");
      break;
    case "script":
      // In SVG, a script uses `href`.
      links.add(attributes.get("src") ?? reference(attributes), "script");
      break;
    case "area":
      links.add(attributes.get("href"), "area", attributes.get("alt"), relFlags(attributes.get("rel")));
      break;
    case "source":
      links.add(attributes.get("src"), "media");
      addSrcset(attributes.get("srcset"), null, null, links);
      addSrcset(attributes.get("data-srcset"), null, null, links);
      break;
    case "video":
      links.add(attributes.get("src"), "media");
      links.add(attributes.get("poster"), "image");
      break;
    case "audio":
    case "track":
      links.add(attributes.get("src"), "media");
      break;
    case "object":
      links.add(attributes.get("data"), "object");
      break;
    case "embed":
      links.add(attributes.get("src"), "object");
      break;
    case "iframe":
    case "frame":
      links.add(attributes.get("src"), "iframe");
      break;
    case "form":
      links.add(attributes.get("action"), "form");
      break;
    case "button":
      links.add(attributes.get("formaction"), "form");
      break;
    case "input":
      if (attributes.get("type")?.toLowerCase() === "image") {
        links.add(attributes.get("src"), "image", attributes.get("alt"));
      }
      links.add(attributes.get("formaction"), "form");
      break;
    case "use":
      addUnlessFragment(reference(attributes), links);
      break;
  }
}

/** The `href` of an SVG element, in its old or new spelling. */
export function reference(attributes: Attributes): string | null {
  return attributes.get("href") ?? attributes.get("xlink:href");
}

function collectImage(attributes: Attributes, links: LinkCollector): void {
  const alt = attributes.get("alt");
  if (alt !== null) links.describeAnchor(alt);
  const src = attributes.get("src") ?? reference(attributes);
  links.add(src, "image", alt);
  // Pages with lazy loading have the real image here, and a placeholder in `src`.
  const lazy = attributes.get("data-src");
  if (lazy !== src) links.add(lazy, "image", alt);
  addSrcset(attributes.get("srcset"), src, alt, links);
  addSrcset(attributes.get("data-srcset"), lazy ?? src, alt, links);
}

/** Every candidate but the one already known from `src`. */
function addSrcset(srcset: string | null, known: string | null, alt: string | null, links: LinkCollector): void {
  if (srcset !== null) for (const url of srcsetUrls(srcset)) if (url !== known) links.add(url, "image", alt);
}

/** `#icon` is an SVG in the page itself. */
function addUnlessFragment(url: string | null, links: LinkCollector): void {
  if (url !== null && !url.startsWith("#")) links.add(url, "image");
}
