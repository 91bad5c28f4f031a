/** Where the content of an element ends that the tokenizer does not read as markup: title, textarea, style, script. */

import { GREATER_THAN, isLetter, isSpace, lowerCode, SLASH } from "./characters.ts";
import type { HtmlSource } from "./html-source.ts";

/** The position of the `</name` that ends RCDATA or RAWTEXT; the end of the page when there is none. */
export function rawTextEnd(source: HtmlSource, from: number, name: string): number {
  const { html } = source;
  for (let index = html.indexOf("</", from); index >= 0; index = html.indexOf("</", index + 2)) {
    if (isName(source, index + 2, name)) return index;
  }
  return html.length;
}

/**
 * The position of the `</script` that ends script data (WHATWG HTML, 13.2.5.15 to 13.2.5.31). Inside `<!--` a `<script`
 * hides the next `</script>`; otherwise old pages that write scripts from scripts would end too early.
 */
export function scriptEnd(source: HtmlSource, from: number): number {
  const { html } = source;
  let index = from;
  for (;;) {
    index = html.indexOf("<", index);
    if (index < 0) return html.length;
    if (isEndTag(source, index)) return index;
    if (!html.startsWith("!--", index + 1)) {
      index++;
      continue;
    }
    // The dashes of "<!--" may also be those of "-->".
    const escapedEnd = scanEscaped(source, index + 2);
    if (escapedEnd.closed) return escapedEnd.index;
    index = escapedEnd.index;
  }
}

/** Scans an escaped part: up to behind its `-->`, or (`closed`) up to the end tag or the end of the page. */
function scanEscaped(source: HtmlSource, from: number): { index: number; closed: boolean } {
  const { html, codes } = source;
  let doubly = false;
  for (let index = from; index < html.length; index++) {
    const code = codes[index]!;
    if (code === 45) {
      if (html.startsWith("-->", index)) return { index: index + 3, closed: false };
    } else if (code === 60) {
      if (isEndTag(source, index)) {
        if (!doubly) return { index, closed: true };
        doubly = false;
      } else if (!doubly && isLetter(codes[index + 1]!) && isName(source, index + 1, "script")) {
        doubly = true;
      }
    }
  }
  return { index: html.length, closed: true };
}

function isEndTag(source: HtmlSource, index: number): boolean {
  return source.codes[index + 1] === SLASH && isName(source, index + 2, "script");
}

/** Whether the name stands here in any letter case, followed by what may follow a tag name. */
function isName(source: HtmlSource, index: number, name: string): boolean {
  const end = index + name.length;
  if (end >= source.html.length) return false;
  for (let offset = 0; offset < name.length; offset++) {
    if (lowerCode(source.codes[index + offset]!) !== name.charCodeAt(offset)) return false;
  }
  const after = source.codes[end]!;
  return after === GREATER_THAN || after === SLASH || isSpace(after);
}
