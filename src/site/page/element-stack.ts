/** The open elements: which they are, where a tag closes, and the path of names that leads to the current one. */

import { TAG_IDS, type Tag, tagNamed } from "../../web/html/index.ts";
import {
  CAPTION,
  CELL,
  DEFINITION,
  ELEMENTS,
  FORMATTING,
  HEADING,
  LIST,
  LIST_ITEM,
  OPTION,
  OPTION_GROUP,
  PARAGRAPH,
  ROW,
  ROW_GROUP,
  SCOPE,
  SPECIAL,
  TABLE,
  TRANSPARENT,
} from "./elements.ts";

/** Names kept in a path: the last ones tell where a link is; the first are the same on every page. */
const PATH_LEVELS = 8;
/** Characters of one name in a path; an invented element can have a name of megabytes. */
const PATH_NAME = 40;

/** The levels of `html` and of `head` or `body` are never closed by a tag. */
export const FIRST_LEVEL = 2;

const PARAGRAPH_ID = tagNamed("p").id;
const ANCHOR = tagNamed("a");
const BUTTON = tagNamed("button");

/** A place in the page's tree of names. */
class PathNode {
  /** That of its path among those that were asked for, or -1. */
  place = -1;
  readonly #children = new Map<string, PathNode>();

  child(name: string): PathNode {
    let child = this.#children.get(name);
    if (child === undefined) {
      child = new PathNode();
      this.#children.set(name, child);
    }
    return child;
  }
}

export class ElementStack {
  depth = 0;
  /** Values at and above `depth` are left over, and keep the nodes of paths valid. */
  readonly #tags: Tag[] = [];
  readonly #flags: number[] = [];
  readonly #positions: number[] = [];
  /** The open elements as a way from the root of a tree, known up to `#nodesEnd`: the names are looked up only for links. */
  readonly #nodes: PathNode[] = [];
  #nodesEnd = 0;
  readonly #root = new PathNode();
  /** The paths that were asked for, each once. */
  readonly paths: string[] = [];
  /** How many elements of each known name are open, so that a stray end tag costs nothing. */
  readonly #open: number[] = new Array<number>(TAG_IDS).fill(0);

  get flags(): number {
    return this.depth === 0 ? 0 : this.#flags[this.depth - 1]!;
  }

  get position(): number {
    return this.#positions[this.depth - 1]!;
  }

  get top(): Tag | null {
    return this.depth === 0 ? null : this.#tags[this.depth - 1]!;
  }

  push(tag: Tag, flags: number, position: number): void {
    const level = this.depth++;
    if (this.#tags[level] !== tag) {
      this.#tags[level] = tag;
      if (this.#nodesEnd > level) this.#nodesEnd = level;
    }
    this.#flags[level] = flags;
    this.#positions[level] = position;
    this.#open[tag.id]!++;
  }

  /** Closes every element at this level and above. */
  truncate(level: number): void {
    while (this.depth > level) this.#open[this.#tags[--this.depth]!.id]!--;
  }

  /** Takes one element out from under others, as `</b>` does in `<b><p></b>`. */
  remove(level: number): void {
    this.#open[this.#tags[level]!.id]!--;
    this.depth--;
    for (let above = level; above < this.depth; above++) {
      this.#tags[above] = this.#tags[above + 1]!;
      this.#flags[above] = this.#flags[above + 1]!;
      this.#positions[above] = this.#positions[above + 1]!;
    }
    if (this.#nodesEnd > level) this.#nodesEnd = level;
  }

  /** The place of the current element's path in `paths`. Elements of one name at one place share it. */
  pathPlace(): number {
    while (this.#nodesEnd < this.depth) {
      const parent = this.#nodesEnd === 0 ? this.#root : this.#nodes[this.#nodesEnd - 1]!;
      this.#nodes[this.#nodesEnd] = parent.child(this.#tags[this.#nodesEnd]!.name);
      this.#nodesEnd++;
    }
    const node = this.#nodes[this.depth - 1]!;
    if (node.place === -1) node.place = this.paths.push(this.#path()) - 1;
    return node.place;
  }

  #path(): string {
    return this.#tags
      .slice(Math.max(0, this.depth - PATH_LEVELS), this.depth)
      .map(({ name }) => name.slice(0, PATH_NAME))
      .join("/");
  }

  /** The level that an end tag closes down to; -1 when it closes nothing. */
  levelClosedBy(tag: Tag): number {
    const bits = ELEMENTS[tag.id]!;
    if (this.#open[tag.id] === 0 && (bits & HEADING) === 0) return -1;
    let barrier = SPECIAL;
    if ((bits & (CELL | ROW | ROW_GROUP | CAPTION)) !== 0) barrier = TABLE;
    else if ((bits & TABLE) !== 0) barrier = 0;
    else if ((bits & LIST_ITEM) !== 0) barrier = SCOPE | LIST;
    else if ((bits & (SPECIAL | FORMATTING)) !== 0) barrier = SCOPE;
    for (let level = this.depth - 1; level >= FIRST_LEVEL; level--) {
      const open = this.#tags[level]!;
      if (open === tag || (tag.id === 0 && open.name === tag.name)) return level;
      const openBits = ELEMENTS[open.id]!;
      // `</h2>` also closes an `<h3>`.
      if ((bits & openBits & HEADING) !== 0) return level;
      if ((openBits & barrier) !== 0) return -1;
    }
    return -1;
  }

  /** Whether an element that formatting does not end is open above this level. */
  hasSpecialAbove(level: number): boolean {
    for (let above = this.depth - 1; above > level; above--) {
      if ((ELEMENTS[this.#tags[above]!.id]! & SPECIAL) !== 0) return true;
    }
    return false;
  }

  isFormatting(level: number): boolean {
    return (ELEMENTS[this.#tags[level]!.id]! & FORMATTING) !== 0;
  }

  /** The level of the open paragraph that a block ends, or -1 (13.2.6.4.7, "in button scope"). */
  openParagraph(): number {
    if (this.#open[PARAGRAPH_ID] === 0) return -1;
    for (let level = this.depth - 1; level >= FIRST_LEVEL; level--) {
      const open = this.#tags[level]!;
      const bits = ELEMENTS[open.id]!;
      if ((bits & PARAGRAPH) !== 0) return level;
      if ((bits & SCOPE) !== 0 || open === BUTTON) return -1;
    }
    return -1;
  }

  /** The level of the open anchor that a new one ends, or -1. */
  openAnchor(): number {
    return this.levelClosedBy(ANCHOR);
  }

  /**
   * The level of the item that a new item ends (`<li>` after `<li>`), or -1. Looks no further than the list or table it
   * stands in.
   */
  openItem(bits: number): number {
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
    for (let level = this.depth - 1; level >= FIRST_LEVEL; level--) {
      const open = ELEMENTS[this.#tags[level]!.id]!;
      if ((open & ends) !== 0) found = level;
      else if (barrier === 0 ? (open & (SPECIAL | TRANSPARENT)) === SPECIAL : (open & barrier) !== 0) break;
    }
    return found;
  }
}
