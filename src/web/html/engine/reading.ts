/** Opens and closes the elements of a page as a browser would, and takes their text, links and headings. */

import {
  BODY_BEFORE_HTML,
  BODY_TAGS,
  DEEPEST,
  ELEMENTS_COUNT,
  FIRST_HEADING,
  HEAD_ENDED_FROM,
  HEAD_ENDED_TO,
  HEAD_NOT_FIRST,
  HEAD_TAGS,
  SKIPPED_FROM,
  SKIPPED_TO,
} from "../document-shape.ts";
import {
  BLOCK,
  BREAKS_OUT,
  CELL,
  CLOSES_PARAGRAPH,
  COLLECTED,
  FORMATTING,
  HEADING,
  HIDDEN,
  IN_SVG,
  INERT,
  ITEM,
  METADATA,
  ROW,
  ROW_GROUP,
  SILENT,
  SPACE,
  STRUCTURE,
} from "../element-bits.ts";
import { IN_CONTENT, IN_HEAD } from "../link-rows.ts";
import {
  A,
  BACKGROUND_ATTRIBUTE,
  BODY,
  BR,
  BUTTON,
  H1,
  H2,
  HEAD,
  HREF_ATTRIBUTE,
  HTML,
  P,
  REL_ATTRIBUTE,
  SCRIPT,
  STYLE_ATTRIBUTE,
  TABLE,
  TBODY,
  TR,
} from "../name-ids.ts";
import { has, isPlain, valueEnd, valueStart } from "./attributes.ts";
import * as controls from "./controls.ts";
import { clearHiddenNames, isHidden } from "./hidden.ts";
import * as host from "./host.ts";
import { clearLinks, closeAnchor, endLine, endLinks, isFull, openDecodedAnchor, openPlainAnchor } from "./links.ts";
import { byteAt } from "./page.ts";
import { clearPaths } from "./paths.ts";
import { scan } from "./scan.ts";
import { clearShape, countShape, noteItem, notePlaces, setShape, shapeOf } from "./shape.ts";
import {
  clearStack,
  depth,
  FIRST_LEVEL,
  flags,
  flagsInside,
  hasSpecialAbove,
  isFormatting,
  levelClosedBy,
  MOST_LEVELS,
  openAnchor,
  openItem,
  openParagraph,
  position,
  positionInside,
  push,
  remove,
  top,
  truncate,
} from "./stack.ts";
import { bitsOf, nameEnd, nameStart, traitsOf } from "./tags.ts";
import {
  appendHiddenText,
  appendText,
  breakWord,
  clearHeadings,
  clearVisibleText,
  headingsClosed,
  headingsMovedDown,
  noteTurn,
  openHeading,
} from "./visible-text.ts";

/** The reader wants more than the visible text. */
let wantsOther: bool = false;
let lastLevel = 0;
/** Nothing of the body has come yet. */
export let inHead = true;
/** There was an `<html>`, or a `</head>`. */
let hasHtml = false;
let headClosed = false;
/** Where the name begins and ends of what ended the head; both 0 for text, the first -1 as long as it has not ended. */
let endedFrom = -1;
let endedTo = -1;
/** The level of the last heading. */
let lastHeading = 0;
/** Elements open at the last level and deeper. They share that level: each replaces the one before. */
let tooDeep = 0;
/** The level of the open anchor, or -1. */
let anchorLevel = -1;
/** Reads the whole page. */
export function read(mostDepth: i32, wantsOtherText: bool): void {
  wantsOther = wantsOtherText;
  // Leaves room for the row and row group that browsers add to a table.
  lastLevel = min(mostDepth, MOST_LEVELS - 2) - 1;
  inHead = true;
  hasHtml = false;
  endedFrom = -1;
  headClosed = false;
  lastHeading = 0;
  tooDeep = 0;
  anchorLevel = -1;
  controls.clearButton();
  clearShape();
  setShape(HEAD_ENDED_FROM, -1);
  clearStack();
  clearPaths();
  clearVisibleText();
  clearLinks();
  clearHeadings();
  clearHiddenNames();
  scan(false);
  headingsClosed(0);
  endLinks();
}

export function open(tag: i32, empty: bool): void {
  const bits = bitsOf(tag);
  countShape(ELEMENTS_COUNT);
  noteItem();
  if ((bits & STRUCTURE) !== 0) noteStructure(tag);
  else if (shapeOf(HEAD_TAGS) === 0) setShape(HEAD_NOT_FIRST, 1);
  if ((flags() & INERT) === 0) notePlaces(tag === A);
  if ((inHead || (bits & STRUCTURE) !== 0) && openStructure(tag, bits)) return;
  if (bits !== 0) {
    if ((bits & CLOSES_PARAGRAPH) !== 0) closeLevel(openParagraph());
    // A heading ends the one that is still open (13.2.6.4.7).
    if ((bits & HEADING) !== 0 && depth > FIRST_LEVEL && (bitsOf(top()) & HEADING) !== 0) closeLevel(depth - 1);
    if ((bits & HEADING) !== 0 && (flags() & (INERT | SILENT)) === 0) noteHeading(byteAt(nameStart + 1) - 48);
    if ((bits & ITEM) !== 0) closeItem(bits);
    else if (tag === A) closeFormatting(openAnchor());
    breakAt(bits);
  }
  const collects = (bits & COLLECTED) !== 0 || controls.hasCollected();
  if (!empty) {
    if (depth >= lastLevel) openTooDeep();
    pushElement(tag);
    if (collects) collect(tag, depth - 1);
  } else if (collects && depth > lastLevel) {
    collect(tag, -1);
  } else if (collects) {
    pushElement(tag);
    collect(tag, -1);
    truncate(depth - 1);
  }
}

export function close(tag: i32): void {
  const bits = bitsOf(tag);
  if ((bits & STRUCTURE) !== 0) {
    // What follows `</body>` still belongs to the body; `</head>` ends what was left open in the head.
    if (tag === HEAD) {
      if (inHead) closeLevel(min(FIRST_LEVEL, depth));
      else if (endedFrom >= 0 && shapeOf(HEAD_ENDED_FROM) < 0) {
        setShape(HEAD_ENDED_FROM, endedFrom);
        setShape(HEAD_ENDED_TO, endedTo);
      }
      // What follows is no longer expected to be in the head.
      headClosed = true;
    }
    return;
  }
  if (tooDeep > 0) {
    if (depth > lastLevel && tag !== 0 && tag === top()) closeLevel(lastLevel);
    else tooDeep--;
  } else {
    const level = levelClosedBy(tag);
    if ((bits & FORMATTING) !== 0) closeFormatting(level);
    else closeLevel(level);
    // A stray end tag does nothing, but `</p>` makes an empty paragraph and `</br>` a line break.
    if (level < 0 && tag !== P && tag !== BR) return;
  }
  breakAt(bits);
}

export function text(start: i32, end: i32, references: bool): void {
  if (inHead && depth <= FIRST_LEVEL) {
    if (isBlank(start, end)) return;
    headEnds(0, 0);
    openBody();
  }
  if ((flags() & SILENT) !== 0) {
    if ((flags() & INERT) === 0) host.silentText(top(), start, end, references);
    return;
  }
  noteTurn(position() === IN_CONTENT);
  if ((flags() & HIDDEN) !== 0) appendHiddenText(start, end, references);
  else appendText(start, end, references);
  if (wantsOther) host.otherText(start, end, references, position());
}

export function comment(start: i32, end: i32): void {
  if (wantsOther) host.otherComment(start, end);
}

/** Handles html, head and body, even where the page leaves them out. True when the tag needs nothing more. */
function openStructure(tag: i32, bits: i32): bool {
  if (depth === 0) push(HTML, 0, IN_HEAD);
  if (tag === HTML) {
    host.element(tag);
    return true;
  }
  if (tag === HEAD) {
    if (depth === 1) push(HEAD, 0, IN_HEAD);
    return true;
  }
  if (tag === BODY) {
    if (inHead) openBody();
    if (has(STYLE_ATTRIBUTE)) host.style();
    if (has(BACKGROUND_ATTRIBUTE)) host.element(tag);
    if (controls.isNoted(tag, 0)) host.noted(tag);
    return true;
  }
  // A `<noscript>` or `<template>` in the head may hold anything.
  if (depth > FIRST_LEVEL) return false;
  if ((bits & METADATA) === 0) {
    headEnds(nameStart, nameEnd);
    openBody();
  } else if (depth === 1) push(HEAD, 0, IN_HEAD);
  return false;
}

/** Counts html, head and body as written, and where they are. */
function noteStructure(tag: i32): void {
  if (tag === HTML) {
    if (!hasHtml && shapeOf(BODY_TAGS) > 0) setShape(BODY_BEFORE_HTML, 1);
    hasHtml = true;
  } else if (tag === HEAD) countShape(HEAD_TAGS);
  else if (tag === BODY) {
    countShape(BODY_TAGS);
    if (shapeOf(HEAD_TAGS) === 0) setShape(HEAD_NOT_FIRST, 1);
  }
}

/** Something that belongs to the body. Only if `</head>` follows was it meant for the head. */
function headEnds(from: i32, to: i32): void {
  if (headClosed || shapeOf(HEAD_TAGS) === 0) return;
  endedFrom = from;
  endedTo = to;
}

function noteHeading(level: i32): void {
  if (level < 1 || level > 6) return;
  if (shapeOf(FIRST_HEADING) === 0) setShape(FIRST_HEADING, level);
  if (lastHeading > 0 && level > lastHeading + 1 && shapeOf(SKIPPED_TO) === 0) {
    setShape(SKIPPED_FROM, lastHeading);
    setShape(SKIPPED_TO, level);
  }
  lastHeading = level;
}

function openBody(): void {
  inHead = false;
  if (depth === 0) push(HTML, 0, IN_HEAD);
  closeLevel(1);
  push(BODY, 0, IN_CONTENT);
}

function pushElement(tag: i32): void {
  if (depth >= shapeOf(DEEPEST)) setShape(DEEPEST, depth + 1);
  const hidden = !inHead && isHidden(tag) ? HIDDEN : 0;
  push(tag, flagsInside(tag, flags()) | hidden, inHead ? position() : positionInside(tag, position(), flags()));
}

/** Takes the links and facts of the current element. `level` is where it is open, or -1 when it has no end tag. */
function collect(tag: i32, level: i32): void {
  const inside = flags();
  if ((inside & INERT) !== 0) return;
  if (has(STYLE_ATTRIBUTE)) host.style();
  if (tag === A) {
    collectAnchor(level);
    if (controls.isAnchorNoted()) host.noted(tag);
    return;
  }
  if (controls.isNoted(tag, inside)) host.noted(tag);
  if (tag === H1 || tag === H2) {
    if ((inside & SILENT) === 0) openHeading(tag, level);
  } else if ((bitsOf(tag) & COLLECTED) !== 0 || has(BACKGROUND_ATTRIBUTE)) {
    if ((inside & IN_SVG) === 0 || !isHeadOnly(tag)) host.element(tag);
    if (tag === BUTTON && level >= 0) controls.openButton(level);
  }
}

/** A title, base or link in SVG is not the page's. A script is loaded there too, and a meta ends the SVG. */
function isHeadOnly(tag: i32): bool {
  return (bitsOf(tag) & METADATA) !== 0 && (traitsOf(tag) & BREAKS_OUT) === 0 && tag !== SCRIPT;
}

function collectAnchor(level: i32): void {
  const plain = isPlain(HREF_ATTRIBUTE);
  const href = plain ? 0 : host.anchorHref();
  if (href < 0) return;
  closeAnchor();
  if (isFull()) return;
  const rel = has(REL_ATTRIBUTE) ? host.linkFlags() : 0;
  if (plain) openPlainAnchor(valueStart(HREF_ATTRIBUTE), valueEnd(HREF_ATTRIBUTE), rel);
  else openDecodedAnchor(href, rel);
  if (level < 0) closeAnchor();
  anchorLevel = level;
}

function breakAt(bits: i32): void {
  if ((bits & (BLOCK | SPACE)) === 0) return;
  breakWord();
  if (wantsOther) host.otherBreak();
  if ((bits & BLOCK) !== 0) endLine();
}

function closeItem(bits: i32): void {
  closeLevel(openItem(bits));
  if ((bits & (ROW | CELL)) === 0 || depth > lastLevel) return;
  // Browsers add the row and the row group that a table leaves out; so must the paths.
  if (top() === TABLE) push(TBODY, flags(), position());
  if ((bits & CELL) !== 0 && depth > 0 && (bitsOf(top()) & ROW_GROUP) !== 0) push(TR, flags(), position());
}

/** As in browsers, elements nest no deeper but still begin and end: a script stays a script, a heading keeps its text. */
function openTooDeep(): void {
  tooDeep++;
  truncate(lastLevel);
  levelsClosed(lastLevel);
}

function closeLevel(level: i32): void {
  if (level < 0) return;
  if (tooDeep > 0) tooDeep = level < lastLevel ? 0 : tooDeep - 1;
  truncate(level);
  levelsClosed(level);
}

/**
 * Closes a formatting element, but not the blocks and formatting opened inside it: the short form of what browsers do
 * (13.2.6.4.7, "adoption agency", and "reconstruct the active formatting elements").
 */
function closeFormatting(level: i32): void {
  if (level < 0) return;
  if (level === depth - 1) {
    closeLevel(level);
    return;
  }
  const keeps = hasSpecialAbove(level);
  for (let above = depth - 1; above >= level; above--) {
    if (above === level || !(keeps || isFormatting(above))) {
      remove(above);
      levelRemoved(above);
    }
  }
}

/** The elements at this level and above have ended. */
function levelsClosed(level: i32): void {
  if (anchorLevel >= level) endAnchor();
  controls.buttonClosed(level);
  headingsClosed(level);
}

/** The formatting element at this level has ended, and those above have moved down. */
function levelRemoved(level: i32): void {
  if (anchorLevel === level) endAnchor();
  else if (anchorLevel > level) anchorLevel--;
  controls.buttonMovedDown(level);
  headingsMovedDown(level);
}

function endAnchor(): void {
  anchorLevel = -1;
  closeAnchor();
}

function isBlank(start: i32, end: i32): bool {
  for (let index = start; index < end; index++) if (byteAt(index) > 32) return false;
  return true;
}
