/** The paths of names that lead to links, such as "html/body/ul/li/a". Each path is written once. */
import { UNKNOWN } from "../name-ids.ts";
import { allocate, byteAt, isSameName, LINE_FEED, lowerCode, moveTo, SLASH } from "./page.ts";
import { depth, MOST_LEVELS, nameEndAt, nameHashAt, nameStartAt, tagAt } from "./stack.ts";
import { copyName, tagNames } from "./tags.ts";

/** Names kept in a path: the last ones say where a link is; the first are the same on every page. */
const PATH_LEVELS = 8;
/** Characters of one name in a path; an invented element can have a name of megabytes. */
const PATH_NAME = 40;
/** The longest path, with its separator. */
const PATH_BYTES = PATH_LEVELS * (PATH_NAME * 3 + 1);
/** Cannot be part of a name. */
const SEPARATOR = LINE_FEED;

/** A node in the page's tree of names: its parent, its name, and the number of its path, or -1 if not yet written. */
const PARENT = 0;
const TAG = 4;
const NAME_START = 8;
const NAME_END = 12;
const NAME_HASH = 16;
const PLACE = 20;
const SLOT = 24;
const NODE_BYTES = 28;
let nodes: usize = 0;
let nodeRoom = 0;
let nodeCount = 0;

/** Finds nodes by parent and name. Open addressing, at most half full: the number of a node plus one, or 0. */
let slots: usize = 0;
let slotCount = 0;

/** The nodes of the open elements, known up to `known`: names are looked up only for links. */
const open: usize = memory.data(MOST_LEVELS * 4, 4);
let known = 0;

/** The paths so far, each followed by the separator. */
export let paths: usize = 0;
export let pathsBytes = 0;
let pathsRoom = 0;
let pathCount = 0;

export function clearPaths(): void {
  for (let node = 0; node < nodeCount; node++) store<i32>(slots + load<i32>(nodeAt(node) + SLOT) * 4, 0);
  nodeCount = 0;
  known = 0;
  pathsBytes = 0;
  pathCount = 0;
}

/** Another element is at this level now. */
export function forgetNodesFrom(level: i32): void {
  if (known > level) known = level;
}

/** The number of the current element's path. Elements with the same name in the same place share it. */
export function pathPlace(): i32 {
  for (; known < depth; known++) {
    store<i32>(open + known * 4, child(known === 0 ? -1 : load<i32>(open + (known - 1) * 4), known));
  }
  const at = nodeAt(load<i32>(open + (depth - 1) * 4));
  let place = load<i32>(at + PLACE);
  if (place < 0) {
    place = pathCount++;
    store<i32>(at + PLACE, place);
    writePath();
  }
  return place;
}

/** The node of the element at this level, below `parent`. */
function child(parent: i32, level: i32): i32 {
  if (nodeCount * 2 >= slotCount) growTable();
  const tag = tagAt(level);
  let slot = slotOf(parent, tag, nameHashAt(level));
  for (; ; slot = (slot + 1) & (slotCount - 1)) {
    const node = load<i32>(slots + slot * 4) - 1;
    if (node < 0) break;
    const at = nodeAt(node);
    if (load<i32>(at + PARENT) !== parent || load<i32>(at + TAG) !== tag) continue;
    if (tag !== UNKNOWN) return node;
    if (isSameName(load<i32>(at + NAME_START), load<i32>(at + NAME_END), nameStartAt(level), nameEndAt(level))) {
      return node;
    }
  }
  const node = nodeCount++;
  const at = nodeAt(node);
  store<i32>(at + PARENT, parent);
  store<i32>(at + TAG, tag);
  store<i32>(at + NAME_START, nameStartAt(level));
  store<i32>(at + NAME_END, nameEndAt(level));
  store<i32>(at + NAME_HASH, nameHashAt(level));
  store<i32>(at + PLACE, -1);
  store<i32>(at + SLOT, slot);
  store<i32>(slots + slot * 4, node + 1);
  return node;
}

function nodeAt(node: i32): usize {
  return nodes + node * NODE_BYTES;
}

/** Known names are compared by tag, so their spelling does not matter. */
function slotOf(parent: i32, tag: i32, nameHash: i32): i32 {
  const hash = (parent * 31 + (tag === UNKNOWN ? nameHash : tag)) * 0x9e3779b1;
  return (hash >>> 12) & (slotCount - 1);
}

function growTable(): void {
  nodeRoom = max(1_024, nodeRoom * 2);
  nodes = moveTo(nodeRoom * NODE_BYTES, nodes, nodeCount * NODE_BYTES);
  slotCount = nodeRoom * 2;
  slots = allocate(slotCount * 4);
  memory.fill(slots, 0, slotCount * 4);
  for (let node = 0; node < nodeCount; node++) {
    const at = nodeAt(node);
    let slot = slotOf(load<i32>(at + PARENT), load<i32>(at + TAG), load<i32>(at + NAME_HASH));
    while (load<i32>(slots + slot * 4) !== 0) slot = (slot + 1) & (slotCount - 1);
    store<i32>(slots + slot * 4, node + 1);
    store<i32>(at + SLOT, slot);
  }
}

function writePath(): void {
  if (pathsBytes + PATH_BYTES > pathsRoom) {
    pathsRoom = max(1 << 14, pathsRoom * 2);
    paths = moveTo(pathsRoom, paths, pathsBytes);
  }
  const first = max(0, depth - PATH_LEVELS);
  for (let level = first; level < depth; level++) {
    if (level > first) writeByte(SLASH);
    const tag = tagAt(level);
    if (tag === UNKNOWN) writeName(nameStartAt(level), nameEndAt(level));
    else pathsBytes += copyName(tagNames, tag - 1, paths + pathsBytes);
  }
  writeByte(SEPARATOR);
}

/** An unknown name as the tokenizer gives it: ASCII in lower case, NUL replaced; never cut inside a character. */
function writeName(start: i32, end: i32): void {
  let units = 0;
  for (let index = start; index < end; index++) {
    const code = byteAt(index);
    // A character counts where it begins; one of four bytes is two UTF-16 code units.
    if (code < 0x80 || code >= 0xc0) units += code >= 0xf0 ? 2 : 1;
    if (units > PATH_NAME) return;
    if (code === 0) {
      writeByte(0xef);
      writeByte(0xbf);
      writeByte(0xbd);
    } else {
      writeByte(lowerCode(code));
    }
  }
}

function writeByte(code: i32): void {
  store<u8>(paths + pathsBytes++, <u8>code);
}
