/** Where the content of an element ends that the tokenizer does not read as markup: title, textarea, style, script. */

import { EXCLAMATION, GREATER_THAN, HYPHEN, isSpace, LESS_THAN, lowerCode, SLASH } from "./characters.ts";
import type { HtmlSource } from "./html-source.ts";

/** The position of the `</name` that ends RCDATA or RAWTEXT; the end of the page when there is none. */
export function rawTextEnd(source: HtmlSource, from: number, name: string): number {
  const { bytes } = source;
  for (let index = bytes.indexOf(LESS_THAN, from); index >= 0; index = bytes.indexOf(LESS_THAN, index + 1)) {
    if (bytes[index + 1] === SLASH && isName(bytes, index + 2, name)) return index;
  }
  return bytes.length;
}

/**
 * The position of the `</script` that ends script data (WHATWG HTML, 13.2.5.15 to 13.2.5.31). Inside `<!--` a `<script`
 * hides the next `</script>`; otherwise old pages that write scripts from scripts would end too early.
 */
export function scriptEnd(source: HtmlSource, from: number): number {
  const { bytes } = source;
  let index = from;
  for (;;) {
    index = bytes.indexOf(LESS_THAN, index);
    if (index < 0) return bytes.length;
    if (isEndTag(bytes, index)) return index;
    if (bytes[index + 1] !== EXCLAMATION || bytes[index + 2] !== HYPHEN || bytes[index + 3] !== HYPHEN) {
      index++;
      continue;
    }
    // The dashes of "<!--" may also be those of "-->".
    const escapedEnd = scanEscaped(bytes, index + 2);
    if (escapedEnd.closed) return escapedEnd.index;
    index = escapedEnd.index;
  }
}

/** Scans an escaped part: up to behind its `-->`, or (`closed`) up to the end tag or the end of the page. */
function scanEscaped(bytes: Buffer, from: number): { index: number; closed: boolean } {
  let doubly = false;
  for (let index = from; index < bytes.length; index++) {
    const code = bytes[index]!;
    if (code === HYPHEN) {
      if (bytes[index + 1] === HYPHEN && bytes[index + 2] === GREATER_THAN) return { index: index + 3, closed: false };
    } else if (code === LESS_THAN) {
      if (isEndTag(bytes, index)) {
        if (!doubly) return { index, closed: true };
        doubly = false;
      } else if (!doubly && isName(bytes, index + 1, "script")) {
        doubly = true;
      }
    }
  }
  return { index: bytes.length, closed: true };
}

function isEndTag(bytes: Buffer, index: number): boolean {
  return bytes[index + 1] === SLASH && isName(bytes, index + 2, "script");
}

/** Whether the name stands here in any letter case, followed by what may follow a tag name. */
function isName(bytes: Buffer, index: number, name: string): boolean {
  const end = index + name.length;
  if (end >= bytes.length) return false;
  for (let offset = 0; offset < name.length; offset++) {
    if (lowerCode(bytes[index + offset]!) !== name.charCodeAt(offset)) return false;
  }
  const after = bytes[end]!;
  return after === GREATER_THAN || after === SLASH || isSpace(after);
}
