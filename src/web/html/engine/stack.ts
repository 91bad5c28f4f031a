/** The open elements: which they are, where a tag closes, and what an element passes on to those inside it. */
import {
  CAPTION,
  CELL,
  DEFINITION,
  FORMATTING,
  HEADING,
  IN_LABEL,
  IN_PICTURE,
  IN_SVG,
  INERT,
  LANDMARK,
  LIST,
  LIST_ITEM,
  OPTION,
  OPTION_GROUP,
  PARAGRAPH,
  ROW,
  ROW_GROUP,
  SCOPE,
  SECTIONING,
  SILENT,
  SPECIAL,
  TABLE,
  TRANSPARENT,
} from "../element-bits.ts";
import {
  A,
  BUTTON,
  FOOTER,
  FOREIGN_OBJECT,
  HEADER,
  P,
  ROLE_ATTRIBUTE,
  SHADOW_ROOT_MODE_ATTRIBUTE,
  SVG,
  TEMPLATE,
  TITLE,
  UNKNOWN,
} from "../name-ids.ts";
import { has } from "./attributes.ts";
import * as host from "./host.ts";
import { isSameName } from "./page.ts";
import { forgetNodesFrom } from "./paths.ts";
import { bitsOf, landmarkOf, nameEnd, nameHash, nameStart } from "./tags.ts";

/** The levels of `html` and of `head` or `body` are never closed by a tag. */
export const FIRST_LEVEL = 2;

/** Elements that can be open at once. */
export const MOST_LEVELS = 1_024;

/** A level: the tag, its name in the page, the flags it passes on, and the part of the page it is in. */
const TAG = 0;
const NAME_START = 4;
const NAME_END = 8;
const NAME_HASH = 12;
const FLAGS = 16;
const POSITION = 20;
const LEVEL_BYTES = 24;
const levels: usize = memory.data(MOST_LEVELS * LEVEL_BYTES, 4);
/** How many elements of each name are open, so that a stray end tag costs nothing. */
const open: usize = memory.data(256 * 4, 4);

export let depth = 0;

export function clearStack(): void {
  truncate(0);
}

export function tagAt(level: i32): i32 {
  return load<i32>(levels + level * LEVEL_BYTES + TAG);
}

export function nameStartAt(level: i32): i32 {
  return load<i32>(levels + level * LEVEL_BYTES + NAME_START);
}

export function nameEndAt(level: i32): i32 {
  return load<i32>(levels + level * LEVEL_BYTES + NAME_END);
}

export function nameHashAt(level: i32): i32 {
  return load<i32>(levels + level * LEVEL_BYTES + NAME_HASH);
}

export function top(): i32 {
  return depth === 0 ? -1 : tagAt(depth - 1);
}

export function flags(): i32 {
  return depth === 0 ? 0 : load<i32>(levels + (depth - 1) * LEVEL_BYTES + FLAGS);
}

export function position(): i32 {
  return depth === 0 ? 0 : load<i32>(levels + (depth - 1) * LEVEL_BYTES + POSITION);
}

/** Opens an element. An unknown one has the name of the current tag. */
export function push(tag: i32, flagsInside: i32, positionInside: i32): void {
  const at = levels + depth * LEVEL_BYTES;
  // After an element of the same name at this level, the path to it is still valid.
  if (tag === UNKNOWN || load<i32>(at + TAG) !== tag) forgetNodesFrom(depth);
  store<i32>(at + TAG, tag);
  store<i32>(at + NAME_START, nameStart);
  store<i32>(at + NAME_END, nameEnd);
  store<i32>(at + NAME_HASH, nameHash);
  store<i32>(at + FLAGS, flagsInside);
  store<i32>(at + POSITION, positionInside);
  count(tag, 1);
  depth++;
}

/** Closes every element at this level and above. */
export function truncate(level: i32): void {
  while (depth > level) count(tagAt(--depth), -1);
}

/** Removes an element from below others, as `</b>` does in `<b><p></b>`. */
export function remove(level: i32): void {
  count(tagAt(level), -1);
  depth--;
  const at = levels + level * LEVEL_BYTES;
  memory.copy(at, at + LEVEL_BYTES, (depth - level) * LEVEL_BYTES);
  forgetNodesFrom(level);
}

/** The level that an end tag closes down to; -1 when it closes nothing. */
export function levelClosedBy(tag: i32): i32 {
  const bits = bitsOf(tag);
  if (load<i32>(open + tag * 4) === 0 && (bits & HEADING) === 0) return -1;
  let barrier = SPECIAL;
  if ((bits & (CELL | ROW | ROW_GROUP | CAPTION)) !== 0) barrier = TABLE;
  else if ((bits & TABLE) !== 0) barrier = 0;
  else if ((bits & LIST_ITEM) !== 0) barrier = SCOPE | LIST;
  // What HTML calls special is not, inside SVG: `</svg>` ends a `<base>` there.
  else if ((bits & (SPECIAL | FORMATTING)) !== 0 || tag === SVG) barrier = SCOPE;
  for (let level = depth - 1; level >= FIRST_LEVEL; level--) {
    const other = tagAt(level);
    if (other === tag && (tag !== UNKNOWN || isNamed(level))) return level;
    const otherBits = bitsOf(other);
    // `</h2>` also closes an `<h3>`.
    if ((bits & otherBits & HEADING) !== 0) return level;
    if ((otherBits & barrier) !== 0) return -1;
  }
  return -1;
}

/** Whether an element that the end of formatting leaves open is above this level. */
export function hasSpecialAbove(level: i32): bool {
  for (let above = depth - 1; above > level; above--) {
    if ((bitsOf(tagAt(above)) & SPECIAL) !== 0) return true;
  }
  return false;
}

export function isFormatting(level: i32): bool {
  return (bitsOf(tagAt(level)) & FORMATTING) !== 0;
}

/** The level of the open paragraph that a block ends, or -1 (13.2.6.4.7, "in button scope"). */
export function openParagraph(): i32 {
  if (load<i32>(open + P * 4) === 0) return -1;
  for (let level = depth - 1; level >= FIRST_LEVEL; level--) {
    const tag = tagAt(level);
    const bits = bitsOf(tag);
    if ((bits & PARAGRAPH) !== 0) return level;
    if ((bits & SCOPE) !== 0 || tag === BUTTON) return -1;
  }
  return -1;
}

/** The level of the open anchor that a new one ends, or -1. */
export function openAnchor(): i32 {
  return levelClosedBy(A);
}

/**
 * The level of the item that a new item ends (`<li>` after `<li>`), or -1. Looks no further than the list or table
 * around it.
 */
export function openItem(bits: i32): i32 {
  let ends = 0;
  let barrier = 0;
  if ((bits & (LIST_ITEM | DEFINITION)) !== 0) {
    ends = bits & (LIST_ITEM | DEFINITION);
  } else if ((bits & OPTION) !== 0) {
    ends = OPTION;
    barrier = OPTION_GROUP | SPECIAL;
  } else if ((bits & OPTION_GROUP) !== 0) {
    ends = OPTION | OPTION_GROUP;
    barrier = SPECIAL;
  } else if ((bits & CELL) !== 0) {
    ends = CELL | CAPTION;
    barrier = ROW | TABLE;
  } else if ((bits & ROW) !== 0) {
    ends = CELL | ROW | CAPTION;
    barrier = ROW_GROUP | TABLE;
  } else if ((bits & (ROW_GROUP | CAPTION)) !== 0) {
    ends = CELL | ROW | ROW_GROUP | CAPTION;
    barrier = TABLE;
  }
  let found = -1;
  for (let level = depth - 1; level >= FIRST_LEVEL; level--) {
    const other = bitsOf(tagAt(level));
    if ((other & ends) !== 0) found = level;
    else if (barrier === 0 ? (other & (SPECIAL | TRANSPARENT)) === SPECIAL : (other & barrier) !== 0) break;
  }
  return found;
}

/** Whether the unknown element at this level has the name of the current tag. */
function isNamed(level: i32): bool {
  return nameHashAt(level) === nameHash && isSameName(nameStartAt(level), nameEndAt(level), nameStart, nameEnd);
}

function count(tag: i32, change: i32): void {
  const at = open + tag * 4;
  store<i32>(at, load<i32>(at) + change);
}

// What an element passes on to those inside it.

/** The flags inside the current element, given those around it: `SILENT`, `SECTIONING`, `INERT`, `IN_SVG`, `IN_LABEL` and `IN_PICTURE`. */
export function flagsInside(tag: i32, around: i32): i32 {
  // A shadow root written in the page is shown; other templates are not.
  if (tag === TEMPLATE) return has(SHADOW_ROOT_MODE_ATTRIBUTE) ? around : around | SILENT | INERT;
  if (tag === SVG) return around | IN_SVG;
  if (tag === FOREIGN_OBJECT) return around & ~IN_SVG;
  // A tooltip in SVG: neither text of the page nor of the link around it.
  if (tag === TITLE && (around & IN_SVG) !== 0) return around | SILENT | INERT;
  return around | (bitsOf(tag) & (SILENT | SECTIONING | IN_LABEL | IN_PICTURE));
}

/** The part of the page inside the current element, given that of its parent. The innermost landmark counts; `role` wins. */
export function positionInside(tag: i32, parent: i32, parentFlags: i32): i32 {
  if (has(ROLE_ATTRIBUTE)) {
    const landmark = host.roleLandmark();
    if (landmark >= 0) return landmark;
  }
  if ((bitsOf(tag) & LANDMARK) === 0) return parent;
  // The header of an article is part of the article (HTML-AAM: banner only outside sectioning content).
  if ((tag === HEADER || tag === FOOTER) && (parentFlags & SECTIONING) !== 0) return parent;
  return landmarkOf(tag);
}
