/** Text and attribute values as the tokenizer gives them: line ends made one, character references decoded. */

import { decodeHTML, decodeHTMLAttribute } from "entities/decode";

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

/** Must come before references are decoded: `&#13;` is a carriage return that stays. */
function normaliseNewlines(raw: string): string {
  return raw.includes("\r") ? raw.replace(/\r\n?/g, "\n") : raw;
}
