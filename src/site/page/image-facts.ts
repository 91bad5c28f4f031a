/** Counts of a page's images: how they are described, and whether browsers know their size before they are loaded. */
import type { Attributes } from "../../web/html/index.ts";

export class ImageFacts {
  count = 0;
  withoutAlt = 0;
  emptyAlt = 0;
  withoutSize = 0;
  lazy = 0;
  longestAlt = 0;

  /** An `<img>`. */
  add(attributes: Attributes): void {
    this.count++;
    if (!attributes.has("alt")) this.withoutAlt++;
    else {
      const length = attributes.text("alt")!.trim().length;
      if (length === 0) this.emptyAlt++;
      else if (length > this.longestAlt) this.longestAlt = length;
    }
    if (!attributes.has("width") || !attributes.has("height")) this.withoutSize++;
    if (attributes.has("loading") && attributes.get("loading")?.toLowerCase() === "lazy") this.lazy++;
  }
}
