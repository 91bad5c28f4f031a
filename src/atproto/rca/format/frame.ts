/** What surrounds the blocks of a segment: its limits, header, index and footer. */

import { crc32 } from "node:zlib";
import { textField } from "./block.ts";
import { BadBytes, type ByteReader, compareBytewise } from "./bytes.ts";

export const VERSION = 1;
export const HEADER_SIZE = 64;
export const FOOTER_SIZE = 32;

/** Size, three empty strings, CrawledAt, CollectionCount, CRC32: no block is smaller. */
export const MIN_BLOCK_SIZE = 4 + 2 + 2 + 2 + 8 + 2 + 4;

/** The most that one system call reads or writes; the format would allow twice as much. */
export const MAX_BLOCK_SIZE = 2 ** 31 - 1;

/** The maximum size of an unpacked collection: ten times a repo at the default limit, and memory that most machines have. */
export const MAX_CONTENT_SIZE = 2 ** 30;

/** An `.rca` holds records as JSON; the `.rcx` next to it is the same container with their CIDs. */
export type SegmentKind = "rca" | "rcx";

export const MAGIC: Readonly<Record<SegmentKind, Buffer>> = {
  rca: Buffer.from("REPOARCH", "latin1"),
  rcx: Buffer.from("REPOCIDS", "latin1"),
};

/** Written when the segment begins, and again when it is finished. */
export interface SegmentHeader {
  kind: SegmentKind;
  /** Unix microseconds. */
  createdAt: bigint;
  /** 0 until the segment is finished. */
  repoCount: number;
  /** 0 until the segment is finished. */
  indexOffset: bigint;
}

export interface SegmentFooter {
  kind: SegmentKind;
  indexOffset: bigint;
  indexSize: number;
  repoCount: number;
  indexCrc: number;
}

export function encodeHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(HEADER_SIZE);
  MAGIC[header.kind].copy(bytes, 0);
  bytes.writeUInt16LE(VERSION, 8);
  bytes.writeBigInt64LE(header.createdAt, 12);
  bytes.writeUInt32LE(header.repoCount, 20);
  bytes.writeBigInt64LE(header.indexOffset, 24);
  return bytes;
}

export function decodeHeader(bytes: Buffer): SegmentHeader {
  if (bytes.length < HEADER_SIZE) throw new BadBytes("the header is cut off");
  const kind = kindOf(bytes.subarray(0, 8));
  if (kind === null) throw new BadBytes("the file does not begin with the magic of a segment");
  const version = bytes.readUInt16LE(8);
  if (version !== VERSION) throw new BadBytes(`version ${version} is unknown`);
  if (bytes.readUInt16LE(10) !== 0 || !isZero(bytes.subarray(32, HEADER_SIZE))) {
    throw new BadBytes("reserved bytes of the header are not zero");
  }
  const indexOffset = bytes.readBigInt64LE(24);
  return { kind, createdAt: bytes.readBigInt64LE(12), repoCount: bytes.readUInt32LE(20), indexOffset };
}

export function encodeFooter(footer: SegmentFooter): Buffer {
  const bytes = Buffer.alloc(FOOTER_SIZE);
  bytes.writeBigInt64LE(footer.indexOffset, 0);
  bytes.writeUInt32LE(footer.indexSize, 8);
  bytes.writeUInt32LE(footer.repoCount, 12);
  bytes.writeUInt32LE(footer.indexCrc, 16);
  MAGIC[footer.kind].copy(bytes, 24);
  return bytes;
}

/** `fileSize` bounds what the footer may say: the index ends where the footer begins. */
export function decodeFooter(bytes: Buffer, fileSize: number): SegmentFooter {
  const kind = bytes.length < FOOTER_SIZE ? null : kindOf(bytes.subarray(24));
  if (kind === null) throw new BadBytes("the footer is missing");
  const indexOffset = bytes.readBigInt64LE(0);
  const indexSize = bytes.readUInt32LE(8);
  if (indexOffset < BigInt(HEADER_SIZE) || indexOffset + BigInt(indexSize + FOOTER_SIZE) !== BigInt(fileSize)) {
    throw new BadBytes("the footer's index is not where the file ends");
  }
  if (!isZero(bytes.subarray(20, 24))) throw new BadBytes("reserved bytes of the footer are not zero");
  return { kind, indexOffset, indexSize, repoCount: bytes.readUInt32LE(12), indexCrc: bytes.readUInt32LE(16) };
}

const kindOf = (magic: Buffer): SegmentKind | null =>
  magic.equals(MAGIC.rca) ? "rca" : magic.equals(MAGIC.rcx) ? "rcx" : null;

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

/** The index has one for every block, sorted bytewise by DID. */
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

/** The size of this DID's entry in the index. */
export const indexEntrySize = (did: string): number => 2 + Buffer.byteLength(did) + 16;
