/**
 * The root of a repo's tree (MST) made from its keys and CIDs. The tree's form depends on nothing else, so an archive
 * that kept the CIDs can show that they are the ones which were signed.
 */
import { hash } from "node:crypto";
import { ARRAY, BYTES, MAP, UNSIGNED } from "../repo/cbor-reader.ts";
import { head, LINK_HEAD, NULL } from "./cbor-write.ts";

export interface TreeLeaf {
  /** `collection/rkey`. */
  key: string;
  /** Binary. */
  cid: Uint8Array;
}

/** CIDv1, DAG-CBOR, SHA-256, 32 bytes. */
const CID_HEAD = Buffer.from([0x01, 0x71, 0x12, 0x20]);

/** The keys of a node's maps as CBOR texts, where `a` is the head of a text of one byte. */
const [E, L, K, P, T, V] = ["ae", "al", "ak", "ap", "at", "av"].map((text) => Buffer.from(text)) as KeyTexts;
type KeyTexts = [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];

/** The digest of the root. `leaves` are in the order of their keys. */
export function mstRoot(leaves: readonly TreeLeaf[]): Buffer {
  const keys = leaves.map(({ key }) => Buffer.from(key));
  const layers = keys.map(layerOf);
  const top = layers.reduce((highest, layer) => Math.max(highest, layer), 0);

  /** The node of a layer that holds these leaves; null when there are none. */
  const subtree = (from: number, to: number, layer: number): Buffer | null =>
    from === to ? null : node(from, to, layer);

  const node = (from: number, to: number, layer: number): Buffer => {
    const own: number[] = [];
    for (let index = from; index < to; index++) if (layers[index] === layer) own.push(index);
    const parts: Buffer[] = [head(MAP, 2), E, head(ARRAY, own.length)];
    let before: Buffer = Buffer.alloc(0);
    for (const [position, index] of own.entries()) {
      const key = keys[index]!;
      const shared = sharedLength(before, key);
      const right = subtree(index + 1, own[position + 1] ?? to, layer - 1);
      parts.push(head(MAP, 4), K, head(BYTES, key.length - shared), key.subarray(shared), P, head(UNSIGNED, shared));
      parts.push(T, link(right), V, LINK_HEAD, Buffer.from(leaves[index]!.cid));
      before = key;
    }
    parts.push(L, link(subtree(from, own[0] ?? to, layer - 1)));
    return hash("sha256", Buffer.concat(parts), "buffer");
  };
  return node(0, leaves.length, top);
}

/** Zero bits at the beginning of the key's hash, in pairs. */
function layerOf(key: Buffer): number {
  let bits = 0;
  for (const byte of hash("sha256", key, "buffer")) {
    bits += byte === 0 ? 8 : Math.clz32(byte) - 24;
    if (byte !== 0) break;
  }
  return bits >> 1;
}

const link = (digest: Buffer | null): Buffer => (digest === null ? NULL : Buffer.concat([LINK_HEAD, CID_HEAD, digest]));

function sharedLength(a: Buffer, b: Buffer): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
