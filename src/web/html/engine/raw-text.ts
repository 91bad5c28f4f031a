/** Where the content of an element ends that the tokenizer does not read as markup: title, textarea, style, script. */

import { EXCLAMATION, GREATER_THAN, HYPHEN, isSpace, LESS_THAN, SLASH } from "./characters.ts";
import { byteAt, indexOf, isSameName, length } from "./page.ts";

/** The position of the end tag with the name at `nameStart` to `nameEnd`; the end of the page when there is none. */
export function rawTextEnd(from: i32, nameStart: i32, nameEnd: i32): i32 {
  for (let index = indexOf(LESS_THAN, from); index < length; index = indexOf(LESS_THAN, index + 1)) {
    if (isEndTag(index, nameStart, nameEnd)) return index;
  }
  return length;
}

/**
 * The position of the `</script` that ends script data (WHATWG HTML, 13.2.5.15 to 13.2.5.31). Inside `<!--` a `<script`
 * hides the next `</script>`; otherwise old pages that write scripts from scripts would end too early.
 */
export function scriptEnd(from: i32, nameStart: i32, nameEnd: i32): i32 {
  let index = from;
  while (true) {
    index = indexOf(LESS_THAN, index);
    if (index >= length || isEndTag(index, nameStart, nameEnd)) return index;
    if (index + 3 < length && isCommentStart(index)) {
      // The dashes of "<!--" may also be those of "-->".
      index = escapedEnd(index + 2, nameStart, nameEnd);
      if (index >= length || byteAt(index) === LESS_THAN) return index;
      index += 3;
    } else {
      index++;
    }
  }
}

/** Where an escaped part ends: at its `-->`, at the end tag, or at the end of the page. */
function escapedEnd(from: i32, nameStart: i32, nameEnd: i32): i32 {
  let doubly = false;
  for (let index = from; index < length; index++) {
    const code = byteAt(index);
    if (code === HYPHEN) {
      if (index + 2 < length && byteAt(index + 1) === HYPHEN && byteAt(index + 2) === GREATER_THAN) return index;
    } else if (code === LESS_THAN) {
      if (isEndTag(index, nameStart, nameEnd)) {
        if (!doubly) return index;
        doubly = false;
      } else if (!doubly && isName(index + 1, nameStart, nameEnd)) {
        doubly = true;
      }
    }
  }
  return length;
}

function isCommentStart(index: i32): bool {
  return byteAt(index + 1) === EXCLAMATION && byteAt(index + 2) === HYPHEN && byteAt(index + 3) === HYPHEN;
}

function isEndTag(index: i32, nameStart: i32, nameEnd: i32): bool {
  return index + 1 < length && byteAt(index + 1) === SLASH && isName(index + 2, nameStart, nameEnd);
}

/** Whether the name stands here too, followed by what may follow a tag name. */
function isName(index: i32, nameStart: i32, nameEnd: i32): bool {
  const end = index + nameEnd - nameStart;
  if (end >= length || !isSameName(index, end, nameStart, nameEnd)) return false;
  const after = byteAt(end);
  return after === GREATER_THAN || after === SLASH || isSpace(after);
}
