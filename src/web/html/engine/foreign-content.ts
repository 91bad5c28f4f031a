/**
 * Whether the scanner stands in SVG or MathML, where `<title>` and `<style>` hold markup, CDATA exists and `/>` closes.
 *
 * The standard decides this with the whole stack of open elements. Here only `svg`, `math` and the integration points
 * between them are followed; an end tag that SVG and MathML do not have (`</div>`) also leads out, so that an `<svg>`
 * nobody closed does not turn the rest of the page foreign.
 */

import { BREAKS_OUT, ENTERS_FOREIGN, FOREIGN, INTEGRATION_POINT } from "../element-traits.ts";
import { traitsOf } from "./tags.ts";

/** Nesting of SVG in HTML in SVG. Real pages have two levels. */
const MOST_LEVELS = 32;
const levels: usize = memory.data(MOST_LEVELS * 4, 4);
let depth = 0;

export function leaveForeign(): void {
  depth = 0;
}

/** Whether a tag met now is foreign. */
export function isForeign(): bool {
  return depth > 0 && (traitsOf(tagAt(depth - 1)) & ENTERS_FOREIGN) !== 0;
}

/** Whether the two below need to be told about this tag. */
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
