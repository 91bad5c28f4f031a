/**
 * The tree as it was before a commit: its operations are undone in the tree (MST) that was signed, of which only some nodes are at hand. When
 * the result is the tree of the commit before, no operation was left out.
 */
import { hash } from "node:crypto";
import { encodeNode, layerOf } from "../rca/repair/recompute-cids.ts";
import type { BlockIndex } from "../repo/block-index.ts";
import { ARRAY, CborProblem, type CborReader, MAP } from "../repo/cbor-reader.ts";
import { DEEPEST_TREE } from "../repo/parsed-repo.ts";
import { field, readEntry } from "./mst-lookup.ts";

/** A node that the inversion needs is not at hand: nothing can be said. */
export class NodeMissing extends Error {}

interface Entry {
  key: Buffer;
  /** Binary. */
  cid: Uint8Array;
  right: Subtree | null;
}

interface TreeNode {
  left: Subtree | null;
  entries: Entry[];
}

/** A node by the offset of its digest in the CAR, or one that was read and may have been changed. */
type Subtree = { digest: number } | { node: TreeNode };

const DIGEST_BYTES = 32;
const CID_BYTES = 36;

export class PartialTree {
  readonly #reader: CborReader;
  readonly #index: BlockIndex;
  #root: Subtree;

  /** `root`: where its digest is in the CAR. */
  constructor(reader: CborReader, index: BlockIndex, root: number) {
    this.#reader = reader;
    this.#index = index;
    this.#root = { digest: root };
  }

  /** Throws NodeMissing, or a CborProblem when a node cannot be read, like all of these. */
  remove(key: Buffer): void {
    const root = this.#nodeOf(this.#root);
    const layer = layerOf(key);
    this.#root = { node: this.#without(root, this.#layerOf(root), key, layer, 0) };
    this.#trim();
  }

  insert(key: Buffer, cid: Uint8Array): void {
    const root = this.#nodeOf(this.#root);
    const layer = layerOf(key);
    const top = this.#layerOf(root);
    if (root.entries.length === 0 && root.left === null) {
      this.#root = { node: { left: null, entries: [{ key, cid, right: null }] } };
    } else if (layer > top) {
      const [before, after] = this.#split({ node: root }, key, 0);
      const raise = (part: Subtree | null): Subtree | null => wrapped(part, layer - 1 - top);
      this.#root = { node: { left: raise(before), entries: [{ key, cid, right: raise(after) }] } };
    } else {
      this.#insertBelow(root, top, { key, cid, right: null }, layer, 0);
      this.#root = { node: root };
    }
  }

  replace(key: Buffer, cid: Uint8Array): void {
    let node = this.#nodeOf(this.#root);
    this.#root = { node };
    for (let depth = 0; depth < DEEPEST_TREE; depth++) {
      const at = placeOf(node, key);
      const entry = node.entries[at];
      if (entry?.key.equals(key)) {
        entry.cid = cid;
        return;
      }
      const below = subtreeBefore(node, at);
      if (below === null) break;
      const next = this.#nodeOf(below);
      setSubtreeBefore(node, at, { node: next });
      node = next;
    }
    throw new CborProblem("does not have the record that it changes");
  }

  digest(): Buffer {
    return this.#digestOf(this.#root);
  }

  #without(node: TreeNode, layer: number, key: Buffer, keyLayer: number, depth: number): TreeNode {
    tooDeep(depth);
    const at = placeOf(node, key);
    const entry = node.entries[at];
    if (layer === keyLayer) {
      if (entry === undefined || !entry.key.equals(key))
        throw new CborProblem("does not have the record that it creates");
      const joined = this.#join(subtreeBefore(node, at), entry.right, 0);
      node.entries.splice(at, 1);
      setSubtreeBefore(node, at, joined);
      return node;
    }
    const below = subtreeBefore(node, at);
    if (below === null) throw new CborProblem("does not have the record that it creates");
    setSubtreeBefore(node, at, whole(this.#without(this.#nodeOf(below), layer - 1, key, keyLayer, depth + 1)));
    return node;
  }

  #insertBelow(node: TreeNode, layer: number, entry: Entry, keyLayer: number, depth: number): void {
    tooDeep(depth);
    const at = placeOf(node, entry.key);
    if (node.entries[at]?.key.equals(entry.key)) throw new CborProblem("has a record that it deletes");
    const below = subtreeBefore(node, at);
    if (layer === keyLayer) {
      const [before, after] = this.#split(below, entry.key, 0);
      setSubtreeBefore(node, at, before);
      node.entries.splice(at, 0, { ...entry, right: after });
    } else if (below === null) {
      setSubtreeBefore(node, at, wrapped({ node: { left: null, entries: [entry] } }, layer - 1 - keyLayer));
    } else {
      const next = this.#nodeOf(below);
      this.#insertBelow(next, layer - 1, entry, keyLayer, depth + 1);
      setSubtreeBefore(node, at, { node: next });
    }
  }

  /** What is before a key and what is after it, both in the layer of the subtree. */
  #split(subtree: Subtree | null, key: Buffer, depth: number): [before: Subtree | null, after: Subtree | null] {
    if (subtree === null) return [null, null];
    tooDeep(depth);
    const { left, entries } = this.#nodeOf(subtree);
    const node = { left, entries };
    const at = placeOf(node, key);
    const [before, after] = this.#split(subtreeBefore(node, at), key, depth + 1);
    const upper: TreeNode = { left: after, entries: entries.slice(at) };
    const lower: TreeNode = { left, entries: entries.slice(0, at) };
    setSubtreeBefore(lower, at, before);
    return [whole(lower), whole(upper)];
  }

  #join(before: Subtree | null, after: Subtree | null, depth: number): Subtree | null {
    if (before === null || after === null) return before ?? after;
    tooDeep(depth);
    const [lower, upper] = [this.#nodeOf(before), this.#nodeOf(after)];
    const count = lower.entries.length;
    const node: TreeNode = { left: lower.left, entries: [...lower.entries, ...upper.entries] };
    setSubtreeBefore(node, count, this.#join(subtreeBefore(lower, count), upper.left, depth + 1));
    return whole(node);
  }

  /** A root has entries, unless there are none at all. */
  #trim(): void {
    for (let depth = 0; ; depth++) {
      tooDeep(depth);
      const { left, entries } = this.#nodeOf(this.#root);
      if (entries.length > 0 || left === null) return;
      this.#root = left;
    }
  }

  #layerOf({ entries }: TreeNode): number {
    return entries[0] === undefined ? 0 : layerOf(entries[0].key);
  }

  #nodeOf(subtree: Subtree): TreeNode {
    if ("node" in subtree) return subtree.node;
    const block = this.#index.find(subtree.digest);
    if (block === 0) throw new NodeMissing("a node of the tree is missing");
    const reader = this.#reader;
    reader.enter(this.#index.start(block), this.#index.end(block));
    if (reader.expect(MAP, "a node") !== 2) throw new CborProblem("has a node that does not have two fields");
    field(reader, "e");
    const entries: Entry[] = [];
    let before = Buffer.alloc(0);
    for (let count = reader.expect(ARRAY, "e"); count > 0; count--) {
      const { key, tree, value } = readEntry(reader, before);
      const cid = reader.bytes.subarray(value + DIGEST_BYTES - CID_BYTES, value + DIGEST_BYTES);
      entries.push({ key, cid, right: subtreeAt(tree) });
      before = key;
    }
    field(reader, "l");
    return { left: subtreeAt(reader.linkOrNull("l")), entries };
  }

  #digestOf(subtree: Subtree): Buffer {
    if ("digest" in subtree) {
      return Buffer.from(this.#reader.bytes.subarray(subtree.digest, subtree.digest + DIGEST_BYTES));
    }
    const { left, entries } = subtree.node;
    const written = entries.map(({ key, cid, right }) => ({ key, cid, right: right && this.#digestOf(right) }));
    return hash("sha256", encodeNode(left && this.#digestOf(left), written), "buffer");
  }
}

const subtreeAt = (digest: number): Subtree | null => (digest < 0 ? null : { digest });

/** Where a key is among the entries of a node, or would be. */
function placeOf({ entries }: TreeNode, key: Buffer): number {
  let at = 0;
  while (at < entries.length && Buffer.compare(entries[at]!.key, key) < 0) at++;
  return at;
}

const subtreeBefore = (node: TreeNode, at: number): Subtree | null =>
  at === 0 ? node.left : node.entries[at - 1]!.right;

function setSubtreeBefore(node: TreeNode, at: number, subtree: Subtree | null): void {
  if (at === 0) node.left = subtree;
  else node.entries[at - 1]!.right = subtree;
}

/** Nothing is not a node. */
const whole = (node: TreeNode): Subtree | null => (node.entries.length === 0 && node.left === null ? null : { node });

/** Layers in which nothing is have a node without entries. */
function wrapped(subtree: Subtree | null, layers: number): Subtree | null {
  let top = subtree;
  if (top !== null) for (let left = layers; left > 0; left--) top = { node: { left: top, entries: [] } };
  return top;
}

function tooDeep(depth: number): void {
  if (depth > DEEPEST_TREE) throw new CborProblem(`is in a tree deeper than ${DEEPEST_TREE} layers`);
}
