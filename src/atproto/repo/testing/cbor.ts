/** A small DAG-CBOR encoder for tests: items are bytes, so that broken ones can be built as easily as good ones. */

export const NULL = Buffer.from([0xf6]);

export function head(major: number, value: number | bigint): Buffer {
  const type = major << 5;
  if (value < 24) return Buffer.from([type | Number(value)]);
  if (value < 0x100) return Buffer.from([type | 24, Number(value)]);
  if (value < 0x10000) return Buffer.from([type | 25, Number(value) >> 8, Number(value) & 0xff]);
  const wide = value >= 0x100000000;
  const out = Buffer.alloc(wide ? 9 : 5);
  out[0] = type | (wide ? 27 : 26);
  if (wide) out.writeBigUInt64BE(BigInt(value), 1);
  else out.writeUInt32BE(Number(value), 1);
  return out;
}

export const unsigned = (value: number | bigint): Buffer => head(0, value);
export const bytes = (value: Uint8Array): Buffer => Buffer.concat([head(2, value.length), value]);
export const array = (items: readonly Buffer[]): Buffer => Buffer.concat([head(4, items.length), ...items]);
export const link = (cid: Uint8Array): Buffer =>
  Buffer.concat([head(6, 42), bytes(Buffer.concat([Buffer.of(0), cid]))]);

export function text(value: string): Buffer {
  const utf8 = Buffer.from(value);
  return Buffer.concat([head(3, utf8.length), utf8]);
}

/** Pairs in the order given. */
export function map(pairs: readonly (readonly [string, Buffer])[]): Buffer {
  return Buffer.concat([head(5, pairs.length), ...pairs.flatMap(([key, value]) => [text(key), value])]);
}

/** Plain values as DAG-CBOR: keys sorted, integers shortest, other numbers as 64 bits. Links are given as `{$link: CID bytes}`. */
export function encode(value: unknown): Buffer {
  if (value === null) return NULL;
  if (typeof value === "boolean") return Buffer.from([value ? 0xf5 : 0xf4]);
  if (typeof value === "string") return text(value);
  if (typeof value === "bigint") return value < 0n ? head(1, -1n - value) : head(0, value);
  if (typeof value === "number") {
    if (Number.isInteger(value)) return value < 0 ? head(1, -1 - value) : head(0, value);
    const out = Buffer.alloc(9, 0xfb);
    out.writeDoubleBE(value, 1);
    return out;
  }
  if (value instanceof Uint8Array) return bytes(value);
  if (Array.isArray(value)) return array(value.map(encode));
  const object = value as Record<string, unknown>;
  if (object["$link"] instanceof Uint8Array) return link(object["$link"]);
  const pairs = Object.entries(object).map(([key, item]) => [Buffer.from(key), key, encode(item)] as const);
  pairs.sort(([one], [other]) => one.length - other.length || Buffer.compare(one, other));
  return map(pairs.map(([, key, item]) => [key, item] as const));
}
