/** What TypeScript calls; see `../engine.ts`. (The compiler finds re-exported files only without their extension.) */

export { attributes, limitAttributes, reportAttributes } from "./attributes";
export { clearHiddenNames, hideName } from "./hidden";
export {
  addLink,
  anchor,
  describeByAlt,
  describeLinks,
  limitLinks,
  linkCount,
  linksLeftOut,
  rows,
} from "./links";
export { placePage } from "./page";
export { paths, pathsBytes } from "./paths";
export { inHead, read } from "./reading";
export { readAsXml, scan } from "./scan";
export { bookmarkCount, bookmarks, shape } from "./shape";
export {
  clearStack,
  depth,
  flags,
  flagsInside,
  hasSpecialAbove,
  isFormatting,
  levelClosedBy,
  openAnchor,
  openItem,
  openParagraph,
  position,
  positionInside,
  push,
  remove,
  truncate,
} from "./stack";
export { defineAttribute, defineTag, nameEnd, nameStart } from "./tags";
export {
  headings,
  roomForAlts,
  scratch,
  turnCount,
  turns,
  visible,
  visibleBytes,
  visibleLength,
  words,
} from "./visible-text";
