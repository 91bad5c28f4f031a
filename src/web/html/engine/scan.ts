/** The scanner: one pass over the page, telling its tags and text as the WHATWG tokenizer sees them. */

import { PLAINTEXT, RAWTEXT, RCDATA, SCRIPT_DATA, VOID } from "../element-traits.ts";
import { scanAttributes, selfClosing } from "./attributes.ts";
import {
  EXCLAMATION,
  GREATER_THAN,
  HYPHEN,
  isLetter,
  isSpace,
  LEFT_BRACKET,
  LESS_THAN,
  lowerCode,
  QUESTION,
  RIGHT_BRACKET,
  SLASH,
} from "./characters.ts";
import { closeForeign, concernsForeign, isForeign, leaveForeign, openForeign } from "./foreign-content.ts";
import * as host from "./host.ts";
import { hashStep } from "./names.ts";
import { byteAt, indexOf, length } from "./page.ts";
import { rawTextEnd, scriptEnd } from "./raw-text.ts";
import * as reading from "./reading.ts";
import { nameEnd, nameStart, readTag, traitsOf } from "./tags.ts";

const RAW = RCDATA | RAWTEXT | SCRIPT_DATA | PLAINTEXT;

/** Tags and text go to a visitor in TypeScript, not to `reading.ts`. */
let visited: bool = false;

/** Scans the whole page. */
export function scan(visit: bool): void {
  visited = visit;
  leaveForeign();
  let textStart = 0;
  let index = 0;
  while (true) {
    index = indexOf(LESS_THAN, index);
    // A "<" that ends the page is text.
    if (index + 1 >= length) break;
    const code = byteAt(index + 1);

    const start = code === SLASH ? index + 2 : index + 1;
    if (start < length && isLetter(byteAt(start))) {
      if (index > textStart) text(textStart, index, true);
      let end = start;
      let hash = 0;
      for (; end < length; end++) {
        const character = byteAt(end);
        if (character <= GREATER_THAN && (character === GREATER_THAN || character === SLASH || isSpace(character)))
          break;
        hash = hashStep(hash, lowerCode(character));
      }
      const tagEnd = scanAttributes(end);
      // The page ends inside this tag, which then does not exist.
      if (tagEnd < 0) return;
      textStart = index = tagEnd;
      const tag = readTag(start, end, hash);
      if (code === SLASH) {
        if (concernsForeign(tag)) closeForeign(tag);
        close(tag);
        continue;
      }
      const foreign = concernsForeign(tag) && openForeign(tag, selfClosing);
      const traits = traitsOf(tag);
      open(tag, foreign ? selfClosing : (traits & VOID) !== 0);
      if ((traits & RAW) !== 0 && !foreign) {
        index = contentEnd(tagEnd, traits);
        if (index > tagEnd) text(tagEnd, index, (traits & RCDATA) !== 0);
        textStart = index;
      }
    } else if (code === SLASH) {
      // "</" that ends the page is text.
      if (start >= length) break;
      if (index > textStart) text(textStart, index, true);
      textStart = index = bogusCommentEnd(start);
    } else if (code === EXCLAMATION || code === QUESTION) {
      if (index > textStart) text(textStart, index, true);
      if (code === EXCLAMATION && isForeign() && isCdata(index)) {
        const end = cdataEnd(index + 9);
        if (end > index + 9) text(index + 9, end, false);
        textStart = index = end + 3;
      } else if (
        code === EXCLAMATION &&
        index + 3 < length &&
        byteAt(index + 2) === HYPHEN &&
        byteAt(index + 3) === HYPHEN
      ) {
        textStart = index = commentEnd(index + 4);
      } else {
        textStart = index = bogusCommentEnd(index + (code === QUESTION ? 1 : 2));
      }
    } else {
      index++;
    }
  }
  if (length > textStart) text(textStart, length, true);
}

function open(tag: i32, empty: bool): void {
  if (visited) host.open(tag, empty);
  else reading.open(tag, empty);
}

function close(tag: i32): void {
  if (visited) host.close(tag);
  else reading.close(tag);
}

function text(start: i32, end: i32, references: bool): void {
  if (visited) host.text(start, end, references);
  else reading.text(start, end, references);
}

function comment(start: i32, end: i32): void {
  if (visited) host.comment(start, end);
  else reading.comment(start, end);
}

function contentEnd(from: i32, traits: i32): i32 {
  if ((traits & SCRIPT_DATA) !== 0) return scriptEnd(from, nameStart, nameEnd);
  if ((traits & PLAINTEXT) !== 0) return length;
  return rawTextEnd(from, nameStart, nameEnd);
}

/** Whether `<![CDATA[` stands here. */
function isCdata(index: i32): bool {
  return (
    index + 8 < length &&
    byteAt(index + 2) === LEFT_BRACKET &&
    byteAt(index + 3) === 67 &&
    byteAt(index + 4) === 68 &&
    byteAt(index + 5) === 65 &&
    byteAt(index + 6) === 84 &&
    byteAt(index + 7) === 65 &&
    byteAt(index + 8) === LEFT_BRACKET
  );
}

/** Where `]]>` stands. */
function cdataEnd(from: i32): i32 {
  for (let index = indexOf(RIGHT_BRACKET, from); index + 2 < length; index = indexOf(RIGHT_BRACKET, index + 1)) {
    if (byteAt(index + 1) === RIGHT_BRACKET && byteAt(index + 2) === GREATER_THAN) return index;
  }
  return length;
}

/** Behind the comment whose content begins here (WHATWG HTML, 13.2.5.43 to 13.2.5.52). */
function commentEnd(from: i32): i32 {
  // `<!-->` and `<!--->` are whole comments.
  if (from < length && byteAt(from) === GREATER_THAN) return from + 1;
  if (from + 1 < length && byteAt(from) === HYPHEN && byteAt(from + 1) === GREATER_THAN) return from + 2;
  let dash = indexOf(HYPHEN, from);
  while (dash < length) {
    let after = dash + 1;
    while (after < length && byteAt(after) === HYPHEN) after++;
    // In a run of dashes only the last two can end the comment.
    if (after - dash > 1) {
      const end = after - 2;
      if (after < length && byteAt(after) === EXCLAMATION) after++;
      if (after < length && byteAt(after) === GREATER_THAN) {
        comment(from, end);
        return after + 1;
      }
    }
    dash = indexOf(HYPHEN, after);
  }
  comment(from, length);
  return length;
}

/** Behind a doctype, a `<?…>`, a `<!…>` or a `</` before no letter: all end at the first ">" (13.2.5.41). */
function bogusCommentEnd(from: i32): i32 {
  const end = indexOf(GREATER_THAN, from);
  if (end > from) comment(from, end);
  return end + 1;
}
