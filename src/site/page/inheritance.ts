/** What an element passes on to those inside it. */

import { type Attributes, type Tag, tagNamed } from "../../web/html/index.ts";
import { SECTIONING, SILENT } from "./elements.ts";

/** In a template: not part of the page. */
export const INERT = 1 << 30;
/** In SVG, where a title is not the page's. */
export const IN_SVG = 1 << 29;

const FOREIGN_OBJECT = tagNamed("foreignobject");
const SVG = tagNamed("svg");
const TEMPLATE = tagNamed("template");
const TITLE = tagNamed("title");

/** The flags inside an element, from those around it: `SILENT`, `SECTIONING`, `INERT` and `IN_SVG`. */
export function flagsInside(tag: Tag, bits: number, attributes: Attributes, around: number): number {
  // A shadow root written in the page is shown; other templates are not.
  if (tag === TEMPLATE) return attributes.get("shadowrootmode") === null ? around | SILENT | INERT : around;
  if (tag === SVG) return around | IN_SVG;
  if (tag === FOREIGN_OBJECT) return around & ~IN_SVG;
  if (tag === TITLE && (around & IN_SVG) !== 0) return around;
  return around | (bits & (SILENT | SECTIONING));
}
