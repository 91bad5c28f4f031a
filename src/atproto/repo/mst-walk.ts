/** Walks a Merkle search tree directly on the bytes of its nodes, and reports its keys in order with the blocks they name. */
import type { BlockIndex } from "./block-index.ts";
import { ARRAY, BYTES, CborProblem, type CborReader, MAP, UNSIGNED } from "./cbor-reader.ts";
import { encodeCid } from "./multibase.ts";
import { DEEPEST_TREE, LONGEST_KEY_BYTES, RepoParseError } from "./parsed-repo.ts";

/**
 * A node as it lies on the stack: its left subtree, where its entries end, and the entries. All are offsets, lengths and
 * block numbers. A subtree is first a place among the links, then a block, then a place on the stack; `NONE` if absent.
 */
const LEFT = 0;
const END = 1;
const ENTRIES = 2;
const SHARED = 0;
const SUFFIX = 1;
const SUFFIX_LENGTH = 2;
const VALUE = 3;
const BLOCK = 4;
const TREE = 5;
const ENTRY_FIELDS = 6;
const NONE = -1;
const FIRST_STACK = 1_024;
const FIRST_LINKS = 64;
const DIGEST_BYTES = 32;

/** Names of fields with their heads, `e`, `l`, `k`, `p`, `t`, `v`. DAG-CBOR requires this order. */
const E = 0x6165;
const L = 0x616c;
const K = 0x616b;
const P = 0x6170;
const T = 0x6174;
const V = 0x6176;

export interface KeyVisitor {
  /**
   * The key is the first `length` bytes of `key`, which is overwritten by the next one. `shared` bytes of it are the same as in
   * the key before. `digest` is the record's digest as an offset.
   */
  visit(key: Uint8Array, length: number, shared: number, block: number, digest: number): void;
}

export class MstWalk {
  readonly #reader: CborReader;
  readonly #index: BlockIndex;
  readonly #visitor: KeyVisitor;
  /** The key that was visited last. One buffer is enough for all layers: see `#node`. */
  readonly #key = new Uint8Array(LONGEST_KEY_BYTES);
  #keyLength = 0;
  /** All nodes between the root and here, and the children of each. */
  #stack = new Int32Array(FIRST_STACK);
  #top = 0;
  /** The links of the nodes that are read together: digests as offsets, and their blocks. */
  #links = new Int32Array(FIRST_LINKS);
  #linked = new Int32Array(FIRST_LINKS);
  #linkCount = 0;
  /** One bit per block. Every node has its own keys, so seeing one twice means the tree has a loop, or is not a tree. */
  readonly #seen: Uint8Array;

  constructor(reader: CborReader, index: BlockIndex, visitor: KeyVisitor) {
    this.#reader = reader;
    this.#index = index;
    this.#visitor = visitor;
    this.#seen = new Uint8Array((index.size >> 3) + 1);
  }

  walk(rootDigest: number): void {
    const root = this.#index.find(rootDigest);
    if (root === 0) throw this.#missing("a node", rootDigest);
    this.#linkCount = 0;
    const place = this.#readNode(root);
    this.#follow(place);
    this.#node(place, 1);
  }

  /**
   * Visits a node and what is below it. Returns the least that any key in it shares with the key before.
   *
   * A key is written as what it shares with the key before it in its node, and the rest. Between the two come the keys of
   * a subtree. In a tree that is in order those share the same bytes too, so that `#key` still holds them; where they do
   * not, the order is broken, and `kept` shows it.
   */
  #node(place: number, depth: number): number {
    if (depth > DEEPEST_TREE) throw refused(`it is deeper than ${DEEPEST_TREE} layers`);
    const top = this.#top;
    this.#readBelow(place);
    let least = LONGEST_KEY_BYTES;
    const left = this.#stack[place + LEFT]!;
    if (left !== NONE) least = this.#node(left, depth + 1);
    let kept = 0;
    const end = this.#stack[place + END]!;
    for (let entry = place + ENTRIES; entry < end; entry += ENTRY_FIELDS) {
      const shared = this.#stack[entry + SHARED]!;
      if (shared > kept) throw refused("its keys are not in order");
      const common = this.#nextKey(shared, this.#stack[entry + SUFFIX]!, this.#stack[entry + SUFFIX_LENGTH]!);
      const record = this.#stack[entry + BLOCK]!;
      this.#visitor.visit(this.#key, this.#keyLength, common, record, this.#stack[entry + VALUE]!);
      if (common < least) least = common;
      kept = this.#keyLength;
      const tree = this.#stack[entry + TREE]!;
      if (tree !== NONE) {
        const below = this.#node(tree, depth + 1);
        if (below < least) least = below;
        if (below < kept) kept = below;
      }
    }
    this.#top = top;
    return least;
  }

  /** Returns how many bytes are as in the key before. */
  #nextKey(shared: number, suffix: number, suffixLength: number): number {
    const length = shared + suffixLength;
    if (length > LONGEST_KEY_BYTES) throw refused(`it has a key longer than ${LONGEST_KEY_BYTES} bytes`);
    const { bytes } = this.#reader;
    const key = this.#key;
    const offset = suffix - shared;
    const both = Math.min(length, this.#keyLength);
    let common = shared;
    while (common < both && key[common] === bytes[offset + common]) common++;
    if (common === length || (common < both && bytes[offset + common]! < key[common]!)) {
      throw refused("its keys are not in order");
    }
    for (let at = common; at < length; at++) key[at] = bytes[offset + at]!;
    this.#keyLength = length;
    return common;
  }

  /** Reads all children of a node together, so that their links are looked up together: `BlockIndex` explains why. */
  #readBelow(place: number): void {
    const first = this.#top;
    const end = this.#stack[place + END]!;
    this.#linkCount = 0;
    this.#readChild(place + LEFT);
    for (let entry = place + ENTRIES; entry < end; entry += ENTRY_FIELDS) this.#readChild(entry + TREE);
    this.#follow(first);
  }

  #readChild(field: number): void {
    const block = this.#stack[field]!;
    if (block === NONE) return;
    const child = this.#readNode(block);
    this.#stack[field] = child;
  }

  /** Puts a node on the stack, and returns its place there. */
  #readNode(block: number): number {
    const bit = 1 << (block & 7);
    if ((this.#seen[block >> 3]! & bit) !== 0) throw refused("one of its nodes occurs twice");
    this.#seen[block >> 3]! |= bit;
    const reader = this.#reader;
    const start = this.#index.start(block);
    const place = this.#top;
    reader.enter(start, this.#index.end(block));
    try {
      this.#reserve(ENTRIES);
      if (reader.expect(MAP, "it") !== 2) throw new CborProblem("does not have two fields");
      this.#field(E);
      for (let entries = reader.expect(ARRAY, "e"); entries > 0; entries--) this.#readEntry();
      this.#field(L);
      this.#stack[place + LEFT] = this.#link(reader.linkOrNull("l"));
      this.#stack[place + END] = this.#top;
      reader.expectEnd();
      return place;
    } catch (problem) {
      if (!(problem instanceof CborProblem)) throw problem;
      throw refused(`its node ${encodeCid(reader.bytes, start - DIGEST_BYTES)} ${problem.reason}`);
    }
  }

  /** Finds the blocks of all nodes from this place on the stack to its top. */
  #follow(first: number): void {
    this.#index.findAll(this.#links, this.#linkCount, this.#linked);
    const stack = this.#stack;
    for (let at = first; at < this.#top; ) {
      const end = stack[at + END]!;
      stack[at + LEFT] = this.#target(stack[at + LEFT]!, "a node");
      for (at += ENTRIES; at < end; at += ENTRY_FIELDS) {
        stack[at + BLOCK] = this.#target(stack[at + BLOCK]!, "a record");
        stack[at + TREE] = this.#target(stack[at + TREE]!, "a node");
      }
    }
  }

  #target(place: number, what: string): number {
    if (place === NONE) return NONE;
    const block = this.#linked[place]!;
    if (block === 0) throw this.#missing(what, this.#links[place]!);
    return block;
  }

  /** Keeps a link until it is looked up with the others; returns its place among them. */
  #link(digest: number): number {
    if (digest < 0) return NONE;
    const place = this.#linkCount++;
    if (place === this.#links.length) {
      const links = this.#links;
      this.#links = new Int32Array(2 * place);
      this.#links.set(links);
      this.#linked = new Int32Array(2 * place);
    }
    this.#links[place] = digest;
    return place;
  }

  #readEntry(): void {
    const reader = this.#reader;
    const top = this.#reserve(ENTRY_FIELDS);
    const stack = this.#stack;
    if (reader.expect(MAP, "an entry") !== 4) throw new CborProblem("has an entry that does not have four fields");
    this.#field(K);
    const length = reader.expect(BYTES, "k");
    stack[top + SUFFIX] = reader.at;
    stack[top + SUFFIX_LENGTH] = length;
    reader.at += length;
    this.#field(P);
    const shared = reader.expect(UNSIGNED, "p");
    if (shared < 0) throw new CborProblem("has a prefix beyond all keys");
    stack[top + SHARED] = shared;
    this.#field(T);
    stack[top + TREE] = this.#link(reader.linkOrNull("t"));
    this.#field(V);
    const value = reader.link("v");
    stack[top + VALUE] = value;
    stack[top + BLOCK] = this.#link(value);
  }

  /** Makes room on the stack; returns the position. */
  #reserve(fields: number): number {
    const place = this.#top;
    this.#top = place + fields;
    if (this.#top > this.#stack.length) {
      const stack = this.#stack;
      this.#stack = new Int32Array(2 * stack.length);
      this.#stack.set(stack);
    }
    return place;
  }

  #field(name: number): void {
    const reader = this.#reader;
    if (reader.at + 2 > reader.end || reader.view.getUint16(reader.at) !== name) {
      throw new CborProblem("does not have the fields of a node");
    }
    reader.at += 2;
  }

  #missing(what: string, digest: number): RepoParseError {
    return refused(`the block of ${what}, ${encodeCid(this.#reader.bytes, digest)}, is missing`);
  }
}

function refused(reason: string): RepoParseError {
  return new RepoParseError("parse_error", `The repo's tree cannot be read: ${reason}.`);
}
