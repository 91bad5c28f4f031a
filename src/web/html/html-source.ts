/** The page being scanned: its UTF-8 bytes, which all offsets count in, and the texts cut out of them and decoded. */
import { isAscii } from "node:buffer";
import { decodeHTML, decodeHTMLAttribute } from "entities/decode";

export class HtmlSource {
  /** Valid UTF-8. A page is scanned as it came from the network: making a string first would cost as much as the scan. */
  readonly bytes: Buffer;
  /** An ASCII page is also Latin-1, which is only copied, not decoded. */
  readonly #encoding: "latin1" | "utf8";

  /** Sent as `application/xhtml+xml`: `/>` ends any element. */
  readonly isXml: boolean;

  constructor(page: Buffer | string, isXml = false) {
    this.isXml = isXml;
    this.bytes = typeof page === "string" ? Buffer.from(page, "utf8") : page;
    this.#encoding = isAscii(this.bytes) ? "latin1" : "utf8";
  }

  text(start: number, end: number): string {
    return this.bytes.toString(this.#encoding, start, end);
  }
}

/** Decodes text outside tags. Give it raw source; it looks for `&` itself. */
export function decodeText(raw: string): string {
  const text = normaliseNewlines(raw);
  return text.includes("&") ? decodeHTML(text) : text;
}

/** Decodes an attribute value: there, `&copy=1` stays as it is, so that query strings survive (WHATWG HTML, 13.2.5.73). */
export function decodeAttributeValue(raw: string): string {
  const value = normaliseNewlines(raw).replaceAll("\0", "\uFFFD");
  return value.includes("&") ? decodeHTMLAttribute(value) : value;
}

/** Must run before references are decoded, because `&#13;` is a carriage return that stays. */
function normaliseNewlines(raw: string): string {
  return raw.includes("\r") ? raw.replace(/\r\n?/g, "\n") : raw;
}
