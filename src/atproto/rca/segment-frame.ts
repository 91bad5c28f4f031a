/** Header and footer of a segment. The header is written when the segment begins, and again when it is finished. */
import { BadBytes } from "./bad-bytes.ts";
import { FOOTER_SIZE, HEADER_SIZE, MAGIC, type SegmentKind, VERSION } from "./layout.ts";

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
  if (kind === null) throw new BadBytes("the magic at the beginning is none of a segment");
  const version = bytes.readUInt16LE(8);
  if (version !== VERSION) throw new BadBytes(`version ${version} is not known`);
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
  if (kind === null) throw new BadBytes("there is no footer");
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
