/** The scanner: one pass over the page, reporting its tags and text as the WHATWG tokenizer sees them. */
import {
  BREAKS_OUT,
  ENTERS_FOREIGN,
  FOREIGN,
  INTEGRATION_POINT,
  PLAINTEXT,
  RAWTEXT,
  RCDATA,
  SCRIPT_DATA,
  VOID,
} from "../element-bits.ts";
import { scanAttributes, selfClosing } from "./attributes.ts";
import * as host from "./host.ts";
import {
  byteAt,
  EXCLAMATION,
  GREATER_THAN,
  HYPHEN,
  indexOf,
  isLetter,
  isSameName,
  isSpace,
  LEFT_BRACKET,
  LESS_THAN,
  length,
  lowerCode,
  QUESTION,
  RIGHT_BRACKET,
  SLASH,
} from "./page.ts";
import * as reading from "./reading.ts";
import { hashStep, nameEnd, nameStart, readTag, traitsOf } from "./tags.ts";

const RAW = RCDATA | RAWTEXT | SCRIPT_DATA | PLAINTEXT;

/** Tags and text go to a visitor in TypeScript, not to `reading.ts`. */
let visited: bool = false;

/** The page is XML: `/>` ends any element, and CDATA is everywhere. */
let xml: bool = false;

export function readAsXml(isXml: bool): void {
  xml = isXml;
}

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
      // The page ends inside this tag, which then counts for nothing.
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
      const ends = selfClosing && (foreign || xml);
      open(tag, ends || (!foreign && (traits & VOID) !== 0));
      if ((traits & RAW) !== 0 && !foreign && !ends) {
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
      if (code === EXCLAMATION && (xml || isForeign()) && isCdata(index)) {
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

/** Whether this is `<![CDATA[`. */
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

/** Where `]]>` is. */
function cdataEnd(from: i32): i32 {
  for (let index = indexOf(RIGHT_BRACKET, from); index + 2 < length; index = indexOf(RIGHT_BRACKET, index + 1)) {
    if (byteAt(index + 1) === RIGHT_BRACKET && byteAt(index + 2) === GREATER_THAN) return index;
  }
  return length;
}

/** The position after the comment whose content begins here (WHATWG HTML, 13.2.5.43 to 13.2.5.52). */
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

/** The position after a doctype, a `<?…>`, a `<!…>` or a `</` without a letter: all end at the first ">" (13.2.5.41). */
function bogusCommentEnd(from: i32): i32 {
  const end = indexOf(GREATER_THAN, from);
  if (end > from) comment(from, end);
  return end + 1;
}

// Elements whose content is not markup: title, textarea, style, script.

/** The position of the end tag with the name from `nameStart` to `nameEnd`, or the end of the page. */
export function rawTextEnd(from: i32, nameStart: i32, nameEnd: i32): i32 {
  for (let index = indexOf(LESS_THAN, from); index < length; index = indexOf(LESS_THAN, index + 1)) {
    if (isEndTag(index, nameStart, nameEnd)) return index;
  }
  return length;
}

/**
 * The position of the `</script` that ends script data (WHATWG HTML, 13.2.5.15 to 13.2.5.31). Inside `<!--` a `<script`
 * hides the next `</script>`; otherwise the scripts of old pages that write scripts would end too early.
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

/** Whether the same name is here, followed by what may follow a tag name. */
function isName(index: i32, nameStart: i32, nameEnd: i32): bool {
  const end = index + nameEnd - nameStart;
  if (end >= length || !isSameName(index, end, nameStart, nameEnd)) return false;
  const after = byteAt(end);
  return after === GREATER_THAN || after === SLASH || isSpace(after);
}

// SVG and MathML, where `<title>` and `<style>` hold markup, CDATA exists and `/>` closes. The standard decides this with
// the whole stack of open elements. Here only `svg`, `math` and the integration points between them are followed. An end
// tag that SVG and MathML do not have (`</div>`) also leads out, so an unclosed `<svg>` does not turn the rest of the
// page foreign.

/** Nesting of SVG in HTML in SVG. Real pages have two levels. */
const MOST_LEVELS = 32;
const levels: usize = memory.data(MOST_LEVELS * 4, 4);
let depth = 0;

export function leaveForeign(): void {
  depth = 0;
}

/** Whether a tag at this point is foreign. */
export function isForeign(): bool {
  return depth > 0 && (traitsOf(tagAt(depth - 1)) & ENTERS_FOREIGN) !== 0;
}

/** Whether `openForeign` and `closeForeign` must see this tag. */
export function concernsForeign(tag: i32): bool {
  return depth > 0 || (traitsOf(tag) & ENTERS_FOREIGN) !== 0;
}

/** Takes a start tag into account, and says whether the element is foreign. */
export function openForeign(tag: i32, selfClosing: bool): bool {
  const traits = traitsOf(tag);
  if ((traits & BREAKS_OUT) !== 0) while (isForeign()) depth--;
  const active = isForeign();
  const enters = (traits & ENTERS_FOREIGN) !== 0;
  if ((enters || (active && (traits & INTEGRATION_POINT) !== 0)) && !selfClosing && depth < MOST_LEVELS) {
    store<i32>(levels + depth * 4, tag);
    depth++;
  }
  return active || enters;
}

export function closeForeign(tag: i32): void {
  const traits = traitsOf(tag);
  if ((traits & (ENTERS_FOREIGN | INTEGRATION_POINT)) !== 0) {
    for (let level = depth - 1; level >= 0; level--) {
      if (tagAt(level) === tag) {
        depth = level;
        return;
      }
    }
  } else if ((traits & FOREIGN) === 0) {
    while (isForeign()) depth--;
  }
}

function tagAt(level: i32): i32 {
  return load<i32>(levels + level * 4);
}
