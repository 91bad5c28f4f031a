/** What an element passes on to those inside it. */

import { ROLE, SHADOW_ROOT_MODE } from "../attribute-ids.ts";
import { IN_SVG, INERT, LANDMARK, SECTIONING, SILENT } from "../element-bits.ts";
import { FOOTER, FOREIGN_OBJECT, HEADER, SVG, TEMPLATE, TITLE } from "../tag-ids.ts";
import { has } from "./attributes.ts";
import * as host from "./host.ts";
import { bitsOf, landmarkOf } from "./tags.ts";

/** The flags inside the current element, from those around it: `SILENT`, `SECTIONING`, `INERT` and `IN_SVG`. */
export function flagsInside(tag: i32, around: i32): i32 {
  // A shadow root written in the page is shown; other templates are not.
  if (tag === TEMPLATE) return has(SHADOW_ROOT_MODE) ? around : around | SILENT | INERT;
  if (tag === SVG) return around | IN_SVG;
  if (tag === FOREIGN_OBJECT) return around & ~IN_SVG;
  if (tag === TITLE && (around & IN_SVG) !== 0) return around;
  return around | (bitsOf(tag) & (SILENT | SECTIONING));
}

/** The part of the page inside the current element, given that of its parent. The innermost landmark counts; `role` wins. */
export function positionInside(tag: i32, parent: i32, parentFlags: i32): i32 {
  if (has(ROLE)) {
    const landmark = host.roleLandmark();
    if (landmark >= 0) return landmark;
  }
  if ((bitsOf(tag) & LANDMARK) === 0) return parent;
  // The header of an article is part of the article (HTML-AAM: banner only outside sectioning content).
  if ((tag === HEADER || tag === FOOTER) && (parentFlags & SECTIONING) !== 0) return parent;
  return landmarkOf(tag);
}
