/** The links that TypeScript finds in attributes, written among those that the engine finds. */

import type { Engine } from "./engine.ts";
import { PAGE_LINK_STRIDE } from "./link-rows.ts";

export class LinkWriter {
  /** Hrefs that had to be decoded; rows name them by their place. */
  readonly hrefs: string[] = [];
  readonly #engine: Engine;
  /** What stands for a link without text of its own (`alt`), by the link's number. */
  readonly #alts = new Map<number, string>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Adds a link of the current element, and returns its number; -1 when the page has too many. */
  add(href: string, type: number, rel: number): number {
    const link = this.#engine.exports.addLink(this.hrefs.length, type, rel);
    if (link >= 0) this.hrefs.push(href);
    return link;
  }

  /** Keeps the address of an anchor that the engine adds, and returns its place. */
  keepHref(href: string): number {
    return this.hrefs.push(href) - 1;
  }

  /** The number of the anchor that is open, or -1. */
  get openAnchor(): number {
    return this.#engine.exports.anchor.value;
  }

  /** What stands for a link without text of its own; the first one counts. */
  describe(link: number, alt: string): void {
    if (!this.#alts.get(link)) this.#alts.set(link, alt);
  }

  /** Gives every link its text and context. Call once, when the page has ended. */
  finish(): { rows: Int32Array<ArrayBuffer>; texts: Buffer<ArrayBuffer> } {
    const { exports } = this.#engine;
    const alts = Buffer.from([...this.#alts.values()].join(""));
    const { value: visibleBytes } = exports.visibleBytes;
    alts.copy(this.#engine.bytes, exports.roomForAlts(alts.length));
    let end = visibleBytes;
    for (const [link, alt] of this.#alts) {
      const start = end;
      end += Buffer.byteLength(alt);
      exports.describeByAlt(link, start, end);
    }
    exports.describeLinks();
    // Copies, in memory of their own that can move to another thread: the engine's is used again for the next page.
    const texts = Buffer.allocUnsafeSlow(end);
    this.#engine.bytes.copy(texts, 0, exports.visible.value, exports.visible.value + end);
    const from = exports.rows.value >> 2;
    const rows = this.#engine.numbers.slice(from, from + exports.linkCount.value * PAGE_LINK_STRIDE);
    return { rows: rows as Int32Array<ArrayBuffer>, texts: texts as Buffer<ArrayBuffer> };
  }
}
