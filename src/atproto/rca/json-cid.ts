/**
 * The digest that a record has, from its JSON: the JSON is turned into DAG-CBOR again and hashed. That gives the record's
 * CID back when nothing was lost on the way: always with lossless JSON, but for floats that look like integers; with
 * the seed's form only for records without bytes and without keys named `cid`.
 */
import { hash } from "node:crypto";
import { ARRAY, BYTES, MAP, NEGATIVE, TEXT, UNSIGNED } from "../repo/cbor-reader.ts";
import { DEEPEST_RECORD } from "../repo/limits.ts";
import { head, LINK_HEAD, NULL } from "./cbor-write.ts";

const FALSE = Buffer.from([0xf4]);
const TRUE = Buffer.from([0xf5]);
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const CID_TEXT = /^b[a-z2-7]{58}$/;
/** Only then may a number be one that JavaScript would round. */
const LONG_NUMBER = /\d{16}/;

/** `json` is known to be JSON. Null when it is deeper than a record can be. */
export function digestOfJson(json: Buffer): Buffer | null {
  const text = json.toString();
  const value: unknown = LONG_NUMBER.test(text) ? JSON.parse(text, exactNumbers) : JSON.parse(text);
  const parts: Buffer[] = [];
  if (!encode(value, parts, DEEPEST_RECORD)) return null;
  return hash("sha256", Buffer.concat(parts), "buffer");
}

/** Integers beyond 2^53 as they stand in the text. */
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
