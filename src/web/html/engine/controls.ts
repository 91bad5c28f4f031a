/** Elements that people use: which of them TypeScript is told about by their attributes, and whether a button shows a text. */
import { COLLECTED, IN_SVG } from "../element-bits.ts";
import {
  ARIA_HIDDEN_ATTRIBUTE,
  ARIA_LABEL_ATTRIBUTE,
  ARIA_LABELLEDBY_ATTRIBUTE,
  BACKGROUND_ATTRIBUTE,
  HREF_ATTRIBUTE,
  ONCLICK_ATTRIBUTE,
  ROLE_ATTRIBUTE,
  STYLE_ATTRIBUTE,
  TARGET_ATTRIBUTE,
  TITLE_ATTRIBUTE,
  UNKNOWN,
} from "../name-ids.ts";
import { has, hasAny } from "./attributes.ts";
import * as host from "./host.ts";
import { bitsOf } from "./tags.ts";
import { visibleBytes } from "./visible-text.ts";

/** What an element is for, or does when it is clicked, as bits of its attributes. */
const NOTED: u64 =
  bitOf(ROLE_ATTRIBUTE) | bitOf(ONCLICK_ATTRIBUTE) | bitOf(ARIA_LABEL_ATTRIBUTE) | bitOf(ARIA_LABELLEDBY_ATTRIBUTE);
const NOTED_OF_ANCHORS: u64 = NOTED | bitOf(TARGET_ATTRIBUTE) | bitOf(ARIA_HIDDEN_ATTRIBUTE) | bitOf(TITLE_ATTRIBUTE);
const LOOKED_AT: u64 = NOTED | bitOf(STYLE_ATTRIBUTE) | bitOf(BACKGROUND_ATTRIBUTE) | bitOf(HREF_ATTRIBUTE);

function bitOf(attribute: i32): u64 {
  return (<u64>1) << (<u64>attribute);
}

/** The current element has an attribute for which it is looked at, whatever it is. */
export function hasCollected(): bool {
  return hasAny(LOOKED_AT);
}

export function isAnchorNoted(): bool {
  return hasAny(NOTED_OF_ANCHORS);
}

/** The same for other elements: also an `href` on one of HTML that does nothing with it. What an invented element does, only its script knows. */
export function isNoted(tag: i32, inside: i32): bool {
  if (hasAny(NOTED)) return true;
  return has(HREF_ATTRIBUTE) && tag !== UNKNOWN && (bitsOf(tag) & COLLECTED) === 0 && (inside & IN_SVG) === 0;
}

/** The level of the open button, or -1, and where its text begins. */
let buttonLevel = -1;
let buttonStart = 0;

export function clearButton(): void {
  buttonLevel = -1;
}

export function openButton(level: i32): void {
  buttonLevel = level;
  buttonStart = visibleBytes;
}

/** The elements at this level and above have ended. */
export function buttonClosed(level: i32): void {
  if (buttonLevel < level) return;
  buttonLevel = -1;
  if (visibleBytes === buttonStart) host.emptyButton();
}

/** The element at this level has ended, and those above have moved down. */
export function buttonMovedDown(level: i32): void {
  if (buttonLevel > level) buttonLevel--;
}
