/** Finds as bytes of an inbox row: numbers as JSON beside keys, one per line, compressed together. */
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { MetaCodec } from "../kernel/ledger.ts";
import type { Found } from "../kernel/task.ts";

/** depth, parent, hops, via, kind. */
const STRIDE = 5;

export function packFinds<Meta>(finds: readonly Found<Meta>[], codec: MetaCodec<Meta>): Uint8Array {
  const numbers: number[] = [];
  // A canonical key contains no line break.
  const lines = [""];
  for (const { key, depth, parent, hops, meta } of finds) {
    numbers.push(depth, parent, hops, codec.viaOf(meta), codec.kindOf(meta));
    lines.push(key);
  }
  lines[0] = JSON.stringify(numbers);
  return zstdCompressSync(lines.join("\n"));
}

export function unpackFinds<Meta>(bytes: Uint8Array, codec: MetaCodec<Meta>): Found<Meta>[] {
  const [first, ...keys] = zstdDecompressSync(bytes).toString().split("\n");
  const numbers = JSON.parse(first!) as number[];
  return keys.map((key, index) => {
    const [depth, parent, hops, via, kind] = numbers.slice(index * STRIDE, (index + 1) * STRIDE);
    return { key, depth: depth!, parent: parent!, hops: hops!, meta: codec.metaOf(via!, kind!) };
  });
}
