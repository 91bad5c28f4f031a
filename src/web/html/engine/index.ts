/** What TypeScript calls; see `engine.ts`. (The compiler finds re-exported files without their extension only.) */

export { attributes, limitAttributes, tellAttributes } from "./attributes";
export { headings } from "./headings";
export { flagsInside, positionInside } from "./inheritance";
export {
  addLink,
  anchor,
  describeByAlt,
  describeLinks,
  limitLinks,
  linkCount,
  linksTruncated,
  rows,
} from "./links";
export { placePage } from "./page";
export { paths, pathsBytes } from "./paths";
export { read } from "./reading";
export { scan } from "./scan";
export {
  clearStack,
  depth,
  flags,
  hasSpecialAbove,
  isFormatting,
  levelClosedBy,
  openAnchor,
  openItem,
  openParagraph,
  position,
  push,
  remove,
  truncate,
} from "./stack";
export { defineAttribute, defineTag, nameEnd, nameStart } from "./tags";
export { roomForAlts, scratch, visible, visibleBytes, visibleLength, words } from "./visible-text";
