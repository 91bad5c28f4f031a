/** The parts of a page, and what begins them: `nav`, `header`, `footer`, `aside`, `main`, or a `role`. */

/** A stored integer is an index into this list: add at the end, never reorder. */
export const LINK_POSITIONS = ["navigation", "header", "footer", "aside", "content", "head"] as const;
export type LinkPosition = (typeof LINK_POSITIONS)[number];

const ROLES: Record<string, LinkPosition> = {
  navigation: "navigation",
  banner: "header",
  contentinfo: "footer",
  complementary: "aside",
  main: "content",
};

const TAGS: Record<string, LinkPosition> = {
  nav: "navigation",
  aside: "aside",
  main: "content",
  header: "header",
  footer: "footer",
};

const BY_ROLE = indexes(ROLES);
const BY_TAG = indexes(TAGS);

function indexes(positions: Record<string, LinkPosition>): ReadonlyMap<string, number> {
  return new Map(Object.entries(positions).map(([name, position]) => [name, LINK_POSITIONS.indexOf(position)]));
}

/** The part that a `role` names, or -1. The first word that names one counts. */
export function roleLandmark(role: string): number {
  for (const word of role.toLowerCase().split(/[\t\n\f\r ]+/)) {
    const position = BY_ROLE.get(word);
    if (position !== undefined) return position;
  }
  return -1;
}

/** The part that an element of this name begins, or -1. */
export function tagLandmark(name: string): number {
  return BY_TAG.get(name) ?? -1;
}
