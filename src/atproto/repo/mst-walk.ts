/** Walks a Merkle search tree directly on the bytes of its nodes, and tells its keys in order with the blocks they name. */
import type { BlockIndex } from "./block-index.ts";
import { ARRAY, BYTES, CborProblem, type CborReader, MAP, UNSIGNED } from "./cbor-reader.ts";
import { DEEPEST_TREE, LONGEST_KEY_BYTES } from "./limits.ts";
import { encodeCid } from "./multibase.ts";
import { RepoParseError } from "./repo-error.ts";

/** The fields of an entry as they lie on the stack: offsets, lengths and block numbers, -1 for what is absent. */
const SHARED = 0;
const SUFFIX = 1;
const SUFFIX_LENGTH = 2;
const VALUE = 3;
const BLOCK = 4;
const TREE = 5;
const ENTRY_FIELDS = 6;
const FIRST_STACK = 1_024;
const DIGEST_BYTES = 32;

/** Names of fields with their heads, `e`, `l`, `k`, `p`, `t`, `v`. DAG-CBOR has them in this order and no other. */
const E = 0x6165;
const L = 0x616c;
const K = 0x616b;
const P = 0x6170;
const T = 0x6174;
const V = 0x6176;

export interface KeyVisitor {
  /**
   * The key is the first `length` bytes of `key`, which is written again for the next one. `shared` bytes of it are as in
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
  /** The entries of all nodes between the root and here. */
  #stack = new Int32Array(FIRST_STACK);
  #top = 0;
  /** One bit a block. Every node has keys of its own, so meeting one twice means a loop or a tree that is none. */
  readonly #met: Uint8Array;

  constructor(reader: CborReader, index: BlockIndex, visitor: KeyVisitor) {
    this.#reader = reader;
    this.#index = index;
    this.#visitor = visitor;
    this.#met = new Uint8Array((index.size >> 3) + 1);
  }

  walk(rootDigest: number): void {
    this.#node(this.#find(rootDigest, "a node"), 1);
  }

  /**
   * Visits a node and what is below it. Returns the least that any key in it shares with the key before.
   *
   * A key is written as what it shares with the key before it in its node, and the rest. Between the two come the keys of
   * a subtree. In a tree that is in order those share the same bytes too, so that `#key` still holds them; where they do
   * not, the order is broken, and `kept` shows it.
   */
  #node(block: number, depth: number): number {
    if (depth > DEEPEST_TREE) throw refused(`it is deeper than ${DEEPEST_TREE} layers`);
    const base = this.#top;
    const left = this.#readNode(block);
    const end = this.#top;
    let least = LONGEST_KEY_BYTES;
    if (left >= 0) least = this.#node(left, depth + 1);
    let kept = 0;
    for (let entry = base; entry < end; entry += ENTRY_FIELDS) {
      const shared = this.#stack[entry + SHARED]!;
      if (shared > kept) throw refused("its keys are not in order");
      const common = this.#nextKey(shared, this.#stack[entry + SUFFIX]!, this.#stack[entry + SUFFIX_LENGTH]!);
      const record = this.#stack[entry + BLOCK]!;
      this.#visitor.visit(this.#key, this.#keyLength, common, record, this.#stack[entry + VALUE]!);
      if (common < least) least = common;
      kept = this.#keyLength;
      const tree = this.#stack[entry + TREE]!;
      if (tree >= 0) {
        const below = this.#node(tree, depth + 1);
        if (below < least) least = below;
        if (below < kept) kept = below;
      }
    }
    this.#top = base;
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

  /**
   * Puts a node's entries on the stack, and returns the block of its left subtree, or -1. All its blocks are looked up
   * here: each look-up waits for memory, and a processor can wait for several at the same time.
   */
  #readNode(block: number): number {
    const bit = 1 << (block & 7);
    if ((this.#met[block >> 3]! & bit) !== 0) throw refused("one of its nodes comes twice");
    this.#met[block >> 3]! |= bit;
    const reader = this.#reader;
    const start = this.#index.start(block);
    reader.enter(start, this.#index.end(block));
    try {
      if (reader.expect(MAP, "it") !== 2) throw new CborProblem("has not two fields");
      this.#field(E);
      for (let entries = reader.expect(ARRAY, "e"); entries > 0; entries--) this.#readEntry();
      this.#field(L);
      const left = reader.linkOrNull("l");
      reader.expectEnd();
      return left < 0 ? -1 : this.#find(left, "a node");
    } catch (problem) {
      if (!(problem instanceof CborProblem)) throw problem;
      throw refused(`its node ${encodeCid(reader.bytes, start - DIGEST_BYTES)} ${problem.reason}`);
    }
  }

  #readEntry(): void {
    const reader = this.#reader;
    const top = this.#top;
    if (top + ENTRY_FIELDS > this.#stack.length) {
      const larger = new Int32Array(this.#stack.length * 2);
      larger.set(this.#stack);
      this.#stack = larger;
    }
    const stack = this.#stack;
    if (reader.expect(MAP, "an entry") !== 4) throw new CborProblem("has an entry with not four fields");
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
    const tree = reader.linkOrNull("t");
    stack[top + TREE] = tree < 0 ? -1 : this.#find(tree, "a node");
    this.#field(V);
    const value = reader.link("v");
    stack[top + VALUE] = value;
    stack[top + BLOCK] = this.#find(value, "a record");
    this.#top = top + ENTRY_FIELDS;
  }

  #field(name: number): void {
    const reader = this.#reader;
    if (reader.at + 2 > reader.end || reader.view.getUint16(reader.at) !== name) {
      throw new CborProblem("has not the fields of a node");
    }
    reader.at += 2;
  }

  #find(digest: number, what: string): number {
    const block = this.#index.find(digest);
    if (block < 0) throw refused(`the block of ${what}, ${encodeCid(this.#reader.bytes, digest)}, is missing`);
    return block;
  }
}

function refused(reason: string): RepoParseError {
  return new RepoParseError("parse_error", `The repo's tree cannot be read: ${reason}.`);
}
