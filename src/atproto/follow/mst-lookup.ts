/** Finds one key in a tree (MST) of which only some nodes are at hand: what it names, that it is absent, or that nobody can tell. */
import type { BlockIndex } from "../repo/block-index.ts";
import { ARRAY, BYTES, CborProblem, type CborReader, MAP, UNSIGNED } from "../repo/cbor-reader.ts";
import { DEEPEST_TREE, LONGEST_KEY_BYTES } from "../repo/parsed-repo.ts";

/** The digest of the record as an offset, or one of these. */
export const ABSENT = -1;
export const NODE_MISSING = -2;

/** Throws a CborProblem when a node cannot be read. `onNode` gets the nodes on the way. */
export function findKey(
  reader: CborReader,
  index: BlockIndex,
  rootDigest: number,
  key: Buffer,
  onNode?: (block: number) => void,
): number {
  let digest = rootDigest;
  for (let depth = 0; depth < DEEPEST_TREE; depth++) {
    const block = index.find(digest);
    if (block === 0) return NODE_MISSING;
    onNode?.(block);
    reader.enter(index.start(block), index.end(block));
    const step = searchNode(reader, key);
    if ("found" in step) return step.found;
    if (step.below < 0) return ABSENT;
    digest = step.below;
  }
  throw new CborProblem(`is in a tree deeper than ${DEEPEST_TREE} layers`);
}

type Step = { found: number } | { below: number };

/** The entries come in order, so the key is one of them or below the last that is smaller. */
function searchNode(reader: CborReader, key: Buffer): Step {
  if (reader.expect(MAP, "a node") !== 2) throw new CborProblem("has a node that does not have two fields");
  field(reader, "e");
  let count = reader.expect(ARRAY, "e");
  let before = Buffer.alloc(0);
  let below: number | null = null;
  for (; count > 0; count--) {
    const entry = readEntry(reader, before);
    const order = Buffer.compare(entry.key, key);
    if (order === 0) return { found: entry.value };
    if (order > 0) break;
    before = entry.key;
    below = entry.tree;
  }
  if (below !== null) return { below };
  // Smaller than every entry: below the node's left link, which comes after the entries.
  for (count--; count > 0; count--) reader.skip();
  field(reader, "l");
  return { below: reader.linkOrNull("l") };
}

export function readEntry(
  reader: CborReader,
  before: Buffer,
): { key: Buffer<ArrayBuffer>; tree: number; value: number } {
  if (reader.expect(MAP, "an entry") !== 4) throw new CborProblem("has an entry that does not have four fields");
  field(reader, "k");
  const length = reader.expect(BYTES, "k");
  const suffix = reader.bytes.subarray(reader.at, reader.at + length);
  reader.at += length;
  field(reader, "p");
  const shared = reader.expect(UNSIGNED, "p");
  if (shared < 0 || shared > before.length || shared + length > LONGEST_KEY_BYTES) {
    throw new CborProblem("has a key that cannot be");
  }
  field(reader, "t");
  const tree = reader.linkOrNull("t");
  field(reader, "v");
  return { key: Buffer.concat([before.subarray(0, shared), suffix]), tree, value: reader.link("v") };
}

export function field(reader: CborReader, name: string): void {
  if (
    reader.bytes[reader.at] !== 0x61 ||
    reader.bytes[reader.at + 1] !== name.charCodeAt(0) ||
    reader.at + 2 > reader.end
  ) {
    throw new CborProblem("has a node without the fields of a node");
  }
  reader.at += 2;
}
