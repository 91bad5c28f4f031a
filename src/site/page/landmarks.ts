/** Which part of the page an element belongs to: from `nav`, `header`, `footer`, `aside`, `main`, and from `role`. */

import { SECTIONING } from "./elements.ts";
import { LINK_POSITIONS, type LinkPosition } from "./page-content.ts";

function indexOf(position: LinkPosition): number {
  return LINK_POSITIONS.indexOf(position);
}

export const CONTENT = indexOf("content");
export const HEAD = indexOf("head");

const ROLES = new Map([
  ["navigation", indexOf("navigation")],
  ["banner", indexOf("header")],
  ["contentinfo", indexOf("footer")],
  ["complementary", indexOf("aside")],
  ["main", CONTENT],
]);

const TAGS = new Map([
  ["nav", indexOf("navigation")],
  ["aside", indexOf("aside")],
  ["main", CONTENT],
  ["header", indexOf("header")],
  ["footer", indexOf("footer")],
]);

/** The position inside an element, given that of its parent. The innermost landmark counts; `role` wins over the name. */
export function positionInside(name: string, role: string | null, parent: number, parentFlags: number): number {
  if (role !== null) {
    for (const word of role.toLowerCase().split(/[\t\n\f\r ]+/)) {
      const position = ROLES.get(word);
      if (position !== undefined) return position;
    }
  }
  // The header of an article is part of the article (HTML-AAM: banner only outside sectioning content).
  if ((name === "header" || name === "footer") && (parentFlags & SECTIONING) !== 0) return parent;
  return TAGS.get(name) ?? parent;
}
