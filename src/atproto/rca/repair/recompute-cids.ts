/** What was signed, computed again from an archive: the CID of a record from its JSON, and the root of the tree (MST) from the CIDs. */
import { hash } from "node:crypto";
import { ARRAY, BYTES, MAP, NEGATIVE, TEXT, UNSIGNED } from "../../repo/cbor-reader.ts";
import { DEEPEST_RECORD } from "../../repo/parsed-repo.ts";

export const NULL = Buffer.from([0xf6]);
/** Tag 42, 37 bytes, the zero before a CID. */
export const LINK_HEAD = Buffer.from([0xd8, 0x2a, 0x58, 0x25, 0x00]);

/** In its shortest form; a number with more than 64 bits cannot come from CBOR, and is cut. */
export function head(major: number, value: number | bigint): Buffer {
  const first = major << 5;
  if (value < 24) return Buffer.from([first | Number(value)]);
  const power = value < 0x100 ? 0 : value < 0x1_0000 ? 1 : value < 0x1_0000_0000 ? 2 : 3;
  const bytes = Buffer.alloc(1 + (1 << power), first | (24 + power));
  if (power < 3) bytes.writeUIntBE(Number(value), 1, 1 << power);
  else bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)), 1);
  return bytes;
}

export interface TreeLeaf {
  /** `collection/rkey`, as bytes. */
  key: Buffer;
  /** Binary. */
  cid: Uint8Array;
}

/** CIDv1, DAG-CBOR, SHA-256, 32 bytes. */
const CID_HEAD = Buffer.from([0x01, 0x71, 0x12, 0x20]);

/** The keys of a node's maps as CBOR texts, where `a` is the head of a text of one byte. */
const [E, L, K, P, T, V] = ["ae", "al", "ak", "ap", "at", "av"].map((text) => Buffer.from(text)) as KeyTexts;
type KeyTexts = [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];

/**
 * The digest of the root of a repo's tree (MST). The tree's form depends on keys and CIDs alone, so an archive that kept
 * the CIDs can show that they are the ones that were signed. `leaves` are in the order of their keys. `onNode` gets each node
 * with its digest.
 */
export function mstRoot(leaves: readonly TreeLeaf[], onNode?: (digest: Buffer, node: Buffer) => void): Buffer {
  const keys = leaves.map(({ key }) => key);
  const layers = keys.map(layerOf);
  const top = layers.reduce((highest, layer) => Math.max(highest, layer), 0);

  /** The node of a layer that contains these leaves; null if there aren't any. */
  const subtree = (from: number, to: number, layer: number): Buffer | null =>
    from === to ? null : node(from, to, layer);

  const node = (from: number, to: number, layer: number): Buffer => {
    const own: number[] = [];
    for (let index = from; index < to; index++) if (layers[index] === layer) own.push(index);
    const entries = own.map((index, position): NodeEntry => {
      const right = subtree(index + 1, own[position + 1] ?? to, layer - 1);
      return { key: keys[index]!, cid: leaves[index]!.cid, right };
    });
    const bytes = encodeNode(subtree(from, own[0] ?? to, layer - 1), entries);
    const digest = hash("sha256", bytes, "buffer");
    onNode?.(digest, bytes);
    return digest;
  };
  return node(0, leaves.length, top);
}

/** An entry of a node, with the digest of the node between it and the next. */
export interface NodeEntry extends TreeLeaf {
  right: Buffer | null;
}

/** A node of the tree, in DAG-CBOR. `left`: the digest of the node before its first entry. */
export function encodeNode(left: Buffer | null, entries: readonly NodeEntry[]): Buffer {
  const parts: Buffer[] = [head(MAP, 2), E, head(ARRAY, entries.length)];
  let before: Buffer = Buffer.alloc(0);
  for (const { key, cid, right } of entries) {
    const shared = sharedLength(before, key);
    parts.push(head(MAP, 4), K, head(BYTES, key.length - shared), key.subarray(shared), P, head(UNSIGNED, shared));
    parts.push(T, link(right), V, LINK_HEAD, Buffer.from(cid));
    before = key;
  }
  parts.push(L, link(left));
  return Buffer.concat(parts);
}

/** The layer that a key is in: zero bits at the beginning of its hash, in pairs. */
export function layerOf(key: Buffer): number {
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

const FALSE = Buffer.from([0xf4]);
const TRUE = Buffer.from([0xf5]);
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const CID_TEXT = /^b[a-z2-7]{58}$/;
/** Only then can the text contain a number that JavaScript would round. */
const LONG_NUMBER = /\d{16}/;

/**
 * A record as it was signed, from its JSON. It has the record's CID when nothing was lost on the way: always with lossless JSON, except for
 * floats that look like integers; with the plain form only for records without bytes and without keys named `cid`. `json` is known
 * to be JSON. Null when it is deeper than a record can be.
 */
export function dagCborOfJson(json: Buffer): Buffer | null {
  const text = json.toString();
  const hasLongNumbers = LONG_NUMBER.test(text);
  // With a function for its values, JSON.parse calls itself for every level.
  if (hasLongNumbers && isDeeper(json, DEEPEST_RECORD)) return null;
  const value: unknown = hasLongNumbers ? JSON.parse(text, exactNumbers) : JSON.parse(text);
  const parts: Buffer[] = [];
  return encode(value, parts, DEEPEST_RECORD) ? Buffer.concat(parts) : null;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPENING, CLOSING] = [Buffer.from("[{"), Buffer.from("]}")];

/** Whether JSON has more levels than this. */
export function isDeeper(json: Uint8Array, depth: number): boolean {
  let level = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (isText && byte === BACKSLASH) at++;
    else if (byte === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (OPENING.includes(byte) && ++level > depth) return true;
    else if (CLOSING.includes(byte)) level--;
  }
  return false;
}

/** Integers beyond 2^53, as written in the text. */
function exactNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? "";
  return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** False when there are more than `depth` levels. */
function encode(value: unknown, parts: Buffer[], depth: number): boolean {
  if (value === null) parts.push(NULL);
  else if (typeof value === "boolean") parts.push(value ? TRUE : FALSE);
  else if (typeof value === "string") encodeBytes(TEXT, Buffer.from(value), parts);
  else if (typeof value === "bigint" || Number.isSafeInteger(value)) encodeInteger(BigInt(value as number), parts);
  else if (typeof value === "number") parts.push(float(value));
  else if (depth === 0) return false;
  else if (Array.isArray(value)) {
    parts.push(head(ARRAY, value.length));
    return value.every((item) => encode(item, parts, depth - 1));
  } else return encodeMap(value as Record<string, unknown>, parts, depth);
  return true;
}

function encodeMap(map: Record<string, unknown>, parts: Buffer[], depth: number): boolean {
  const entries = Object.entries(map);
  const only = entries.length === 1 ? entries[0]! : null;
  if (only?.[0] === "$link" && typeof only[1] === "string" && CID_TEXT.test(only[1])) {
    parts.push(LINK_HEAD, cidBytes(only[1]));
    return true;
  }
  if (only?.[0] === "$bytes" && typeof only[1] === "string") {
    encodeBytes(BYTES, Buffer.from(only[1], "base64"), parts);
    return true;
  }
  const keyed = entries.map(([key, value]) => ({ key: Buffer.from(key), value }));
  keyed.sort((a, b) => a.key.length - b.key.length || Buffer.compare(a.key, b.key));
  parts.push(head(MAP, keyed.length));
  return keyed.every(({ key, value }) => {
    encodeBytes(TEXT, key, parts);
    return encode(value, parts, depth - 1);
  });
}

function encodeInteger(value: bigint, parts: Buffer[]): void {
  parts.push(value >= 0n ? head(UNSIGNED, value) : head(NEGATIVE, -1n - value));
}

function encodeBytes(major: number, bytes: Buffer, parts: Buffer[]): void {
  parts.push(head(major, bytes.length), bytes);
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(9, 0xfb);
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

function cidBytes(text: string): Buffer {
  const bytes: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const character of text.slice(1)) {
    buffer = ((buffer << 5) | BASE32.indexOf(character)) & 0xfff;
    bits += 5;
    if (bits >= 8) bytes.push((buffer >> (bits -= 8)) & 0xff);
  }
  return Buffer.from(bytes);
}
