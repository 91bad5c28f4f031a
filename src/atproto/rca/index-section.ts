/** The index of a segment: every block with its place and CRC32, sorted bytewise by DID. */
import { crc32 } from "node:zlib";
import { textField } from "./block.ts";
import type { ByteReader } from "./byte-reader.ts";
import { compareBytewise } from "./bytewise.ts";

export interface IndexEntry {
  did: string;
  /** Of the block in the file. */
  offset: number;
  size: number;
  /** Of the whole block, its size field included. */
  crc: number;
}

export const indexEntryOf = (did: string, offset: number, block: Buffer): IndexEntry => ({
  did,
  offset,
  size: block.length,
  crc: crc32(block),
});

/** By DID, and blocks of one DID in the order of the file. */
export const compareEntries = (a: IndexEntry, b: IndexEntry): number =>
  compareBytewise(a.did, b.did) || a.offset - b.offset;

export function encodeIndex(entries: readonly IndexEntry[]): Buffer {
  const parts: Buffer[] = [Buffer.alloc(4)];
  parts[0]!.writeUInt32LE(entries.length);
  for (const { did, offset, size, crc } of entries.toSorted(compareEntries)) {
    const place = Buffer.allocUnsafe(16);
    place.writeBigInt64LE(BigInt(offset), 0);
    place.writeUInt32LE(size, 8);
    place.writeUInt32LE(crc, 12);
    parts.push(textField(did), place);
  }
  return Buffer.concat(parts);
}

export const readIndexEntry = (reader: ByteReader): IndexEntry => ({
  did: reader.text(),
  offset: reader.offset(),
  size: reader.u32(),
  crc: reader.u32(),
});

/** What an entry of this DID takes in the index. */
export const indexEntrySize = (did: string): number => 2 + Buffer.byteLength(did) + 16;
