/** Counts of a page's images: how they are described, and whether browsers know their size before they are loaded. */
import type { Attributes } from "../../web/html/index.ts";

/** From this many pixels on each side, an image is hardly decoration. */
const LARGE = 300;
/** Pages with more images than this repeat themselves. */
const MOST_ALTS = 200;

const sizeOf = (attributes: Attributes, side: "width" | "height"): number =>
  Number.parseInt(attributes.get(side) ?? "0", 10) || 0;

export class ImageFacts {
  count = 0;
  withoutAlt = 0;
  emptyAlt = 0;
  withoutSize = 0;
  lazy = 0;
  longestAlt = 0;
  /** Images that share their alt text with another image. */
  sameAlt = 0;
  /** Large images that are marked as decoration. */
  largeEmptyAlt = 0;
  readonly #sources = new Map<string, string>();

  /** An `<img>`. */
  add(attributes: Attributes): void {
    this.count++;
    if (!attributes.has("alt")) this.withoutAlt++;
    else {
      const alt = attributes.text("alt")!.trim();
      if (alt.length === 0) {
        this.emptyAlt++;
        if (sizeOf(attributes, "width") >= LARGE && sizeOf(attributes, "height") >= LARGE) this.largeEmptyAlt++;
      } else {
        if (alt.length > this.longestAlt) this.longestAlt = alt.length;
        this.#compare(alt, attributes);
      }
    }
    if (!attributes.has("width") || !attributes.has("height")) this.withoutSize++;
    if (attributes.has("loading") && attributes.get("loading")?.toLowerCase() === "lazy") this.lazy++;
  }

  #compare(alt: string, attributes: Attributes): void {
    if (this.#sources.size === MOST_ALTS) return;
    const source = attributes.get("src") ?? "";
    const before = this.#sources.get(alt);
    if (before === undefined) this.#sources.set(alt, source);
    else if (before !== source) this.sameAlt++;
  }
}
