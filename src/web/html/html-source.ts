/** The page being scanned: its UTF-8 bytes, which all offsets count, and the texts that are cut out of them. */
import { isAscii } from "node:buffer";

export class HtmlSource {
  /** Valid UTF-8. A page is scanned as it came from the network: making a string of it first would cost as much as scanning. */
  readonly bytes: Buffer;
  /** The bytes of an ASCII page are characters of Latin-1 too, which are only copied. */
  readonly #encoding: "latin1" | "utf8";

  constructor(page: Buffer | string) {
    this.bytes = typeof page === "string" ? Buffer.from(page, "utf8") : page;
    this.#encoding = isAscii(this.bytes) ? "latin1" : "utf8";
  }

  text(start: number, end: number): string {
    return this.bytes.toString(this.#encoding, start, end);
  }
}
