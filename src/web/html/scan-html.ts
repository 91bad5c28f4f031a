/** The HTML scanner: one pass over a page, telling a visitor its tags and text as the WHATWG tokenizer sees them. */

import { Attributes } from "./attributes.ts";
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
  SLASH,
} from "./characters.ts";
import { ForeignContent } from "./foreign-content.ts";
import { HtmlSource } from "./html-source.ts";
import { DEFAULT_HTML_LIMITS, type HtmlLimits } from "./limits.ts";
import { hashStep } from "./name-table.ts";
import { rawTextEnd, scriptEnd } from "./raw-text.ts";
import { readTag, type Tag } from "./tag.ts";

export interface HtmlVisitor {
  /**
   * A start tag. `attributes` is valid during the call only. `empty` means that the element has no content and no end
   * tag: a void element of HTML, or one closed by `/>` in SVG or MathML.
   */
  open(tag: Tag, attributes: Attributes, empty: boolean): void;
  /** An end tag, whether or not anything of that name is open. */
  close(tag: Tag): void;
  /**
   * A piece of text: the source's bytes from `start` to `end`. With `references` it may hold character references,
   * for `decodeText`; without, it is raw (script, style, CDATA). One text may come in several pieces.
   */
  text(source: HtmlSource, start: number, end: number, references: boolean): void;
  /** The content of a comment. */
  comment?(source: HtmlSource, start: number, end: number): void;
}

/** Scans a whole page: a text, or UTF-8. Never throws on any input; time and memory are linear in its length. */
export function scanHtml(page: Buffer | string, visitor: HtmlVisitor, limits: HtmlLimits = DEFAULT_HTML_LIMITS): void {
  scanSource(new HtmlSource(page), visitor, limits);
}

export function scanSource(source: HtmlSource, visitor: HtmlVisitor, limits: HtmlLimits): void {
  const { bytes } = source;
  const length = bytes.length;
  const attributes = new Attributes(source, limits);
  const foreign = new ForeignContent();
  let textStart = 0;
  let index = 0;
  for (;;) {
    index = nextLessThan(bytes, index);
    // A "<" that ends the page is text.
    if (index + 1 >= length) break;
    const code = bytes[index + 1]!;

    const nameStart = code === SLASH ? index + 2 : index + 1;
    if (nameStart < length && isLetter(bytes[nameStart]!)) {
      if (index > textStart) visitor.text(source, textStart, index, true);
      let nameEnd = nameStart;
      let hash = 0;
      for (; nameEnd < length; nameEnd++) {
        const character = bytes[nameEnd]!;
        if (character <= GREATER_THAN && (character === GREATER_THAN || character === SLASH || isSpace(character)))
          break;
        hash = hashStep(hash, lowerCode(character));
      }
      const end = scanAttributes(attributes, source, nameEnd);
      if (end < 0) return;
      textStart = index = end;
      const tag = readTag(source, nameStart, nameEnd, hash);
      if (code === SLASH) {
        if (foreign.concerns(tag)) foreign.close(tag);
        visitor.close(tag);
        continue;
      }
      const isForeign = foreign.concerns(tag) && foreign.open(tag, attributes.selfClosing);
      visitor.open(tag, attributes, isForeign ? attributes.selfClosing : tag.isVoid);
      if (tag.content !== "data" && !isForeign) {
        const rawEnd = contentEnd(source, end, tag);
        if (rawEnd > end) visitor.text(source, end, rawEnd, tag.content === "rcdata");
        textStart = index = rawEnd;
      }
    } else if (code === SLASH) {
      // "</" that ends the page is text.
      if (nameStart >= length) break;
      if (index > textStart) visitor.text(source, textStart, index, true);
      textStart = index = bogusCommentEnd(source, nameStart, visitor);
    } else if (code === EXCLAMATION || code === QUESTION) {
      if (index > textStart) visitor.text(source, textStart, index, true);
      if (code === EXCLAMATION && bytes[index + 2] === LEFT_BRACKET && isCdata(source, index, foreign)) {
        const found = bytes.indexOf("]]>", index + 9, "latin1");
        const end = found < 0 ? length : found;
        if (end > index + 9) visitor.text(source, index + 9, end, false);
        textStart = index = end + 3;
      } else if (code === EXCLAMATION && bytes[index + 2] === HYPHEN && bytes[index + 3] === HYPHEN) {
        textStart = index = commentEnd(source, index + 4, visitor);
      } else {
        textStart = index = bogusCommentEnd(source, index + (code === QUESTION ? 1 : 2), visitor);
      }
    } else {
      index++;
    }
  }
  if (length > textStart) visitor.text(source, textStart, length, true);
}

/** How far to look by hand before calling `indexOf`, whose call costs as much as reading this many bytes. */
const NEAR = 64;

function nextLessThan(bytes: Buffer, from: number): number {
  const near = Math.min(from + NEAR, bytes.length);
  for (let index = from; index < near; index++) if (bytes[index] === LESS_THAN) return index;
  if (near >= bytes.length) return bytes.length;
  const found = bytes.indexOf(LESS_THAN, near);
  return found < 0 ? bytes.length : found;
}

function scanAttributes(attributes: Attributes, source: HtmlSource, from: number): number {
  if (from < source.bytes.length && source.bytes[from] === GREATER_THAN) {
    attributes.clear(from);
    return from + 1;
  }
  return attributes.scan(from);
}

function contentEnd(source: HtmlSource, from: number, tag: Tag): number {
  if (tag.content === "script") return scriptEnd(source, from);
  if (tag.content === "plaintext") return source.bytes.length;
  return rawTextEnd(source, from, tag.name);
}

function isCdata(source: HtmlSource, index: number, foreign: ForeignContent): boolean {
  return foreign.active && source.text(index + 2, index + 9) === "[CDATA[";
}

/** Behind the comment whose content begins here (WHATWG HTML, 13.2.5.43 to 13.2.5.52). */
function commentEnd(source: HtmlSource, from: number, visitor: HtmlVisitor): number {
  const { bytes } = source;
  const { length } = bytes;
  // `<!-->` and `<!--->` are whole comments.
  if (bytes[from] === GREATER_THAN) return from + 1;
  if (bytes[from] === HYPHEN && bytes[from + 1] === GREATER_THAN) return from + 2;
  let dashes = bytes.indexOf("--", from, "latin1");
  while (dashes >= 0) {
    let after = dashes + 2;
    // In a run of dashes only the last two can end the comment.
    while (after < length && bytes[after] === HYPHEN) after++;
    const contentEnd = after - 2;
    if (after < length && bytes[after] === EXCLAMATION) after++;
    if (after < length && bytes[after] === GREATER_THAN) {
      visitor.comment?.(source, from, contentEnd);
      return after + 1;
    }
    dashes = bytes.indexOf("--", after, "latin1");
  }
  visitor.comment?.(source, from, length);
  return length;
}

/** Behind a doctype, a `<?…>`, a `<!…>` or a `</` before no letter: all end at the first ">" (13.2.5.41). */
function bogusCommentEnd(source: HtmlSource, from: number, visitor: HtmlVisitor): number {
  const found = source.bytes.indexOf(GREATER_THAN, from);
  const end = found < 0 ? source.bytes.length : found;
  if (end > from) visitor.comment?.(source, from, end);
  return end + 1;
}
