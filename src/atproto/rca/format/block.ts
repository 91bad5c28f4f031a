/**
 * A repo block: one repo as it was at one moment. Its collections are listed in a table of contents (TOC), each with
 * one zstd frame behind it. The CRC32 inside covers TOC and frames.
 */
import { crc32 } from "node:zlib";
import { BadBytes, ByteReader, compareBytewise } from "./bytes.ts";
import { MAX_BLOCK_SIZE, MIN_BLOCK_SIZE } from "./frame.ts";

export interface CompressedCollection {
  name: string;
  recordCount: number;
  /** One zstd frame. */
  frame: Uint8Array;
}

export interface RepoBlock {
  did: string;
  pds: string;
  rev: string;
  /** Unix microseconds. */
  crawledAt: bigint;
  collections: readonly CompressedCollection[];
}

/** The fields before the TOC. */
export interface BlockHead extends Omit<RepoBlock, "collections"> {
  /** Of the whole block. */
  size: number;
  collectionCount: number;
  crc: number;
}

/** A repo that does not fit into the format; nothing of it was written. */
export class RepoNotStorable extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "RepoNotStorable";
  }
}

const MAX_TEXT = 0xffff;
const MAX_COLLECTIONS = 0xffff;

/** Sorts the collections, and leaves out those without records. */
export function encodeBlock(repo: RepoBlock): Buffer {
  const collections = repo.collections
    .filter(({ recordCount }) => recordCount > 0)
    .sort((a, b) => compareBytewise(a.name, b.name));
  const texts = [repo.did, repo.pds, repo.rev].map(textField);
  const names = collections.map(({ name }) => textField(name));
  const headSize = MIN_BLOCK_SIZE - 6 + sum(texts, (text) => text.length);
  const size = headSize + sum(names, (name) => name.length + 8) + sum(collections, ({ frame }) => frame.length);
  if (collections.length > MAX_COLLECTIONS) throw new RepoNotStorable(`${collections.length} collections`);
  if (size > MAX_BLOCK_SIZE) throw new RepoNotStorable(`a block of ${size} bytes`);

  const block = Buffer.allocUnsafe(size);
  let at = block.writeUInt32LE(size, 0);
  for (const text of texts) at += text.copy(block, at);
  at = block.writeBigInt64LE(repo.crawledAt, at);
  at = block.writeUInt16LE(collections.length, at);
  const crcAt = at;
  at += 4;
  for (const [index, { recordCount, frame }] of collections.entries()) {
    at += names[index]!.copy(block, at);
    at = block.writeUInt32LE(recordCount, at);
    at = block.writeUInt32LE(frame.length, at);
  }
  for (const { frame } of collections) {
    block.set(frame, at);
    at += frame.length;
  }
  block.writeUInt32LE(crc32(block.subarray(crcAt + 4)), crcAt);
  return block;
}

/** The fields before the TOC; `bytes` may end anywhere behind them. */
export function decodeHead(bytes: Buffer): BlockHead {
  return readHead(new ByteReader(bytes));
}

/** The number of records of each collection, from the beginning of a block; its CRC is not checked. */
export function decodeCounts(bytes: Buffer): { head: BlockHead; counts: { name: string; recordCount: number }[] } {
  const reader = new ByteReader(bytes);
  const head = readHead(reader);
  const counts = [];
  for (let index = 0; index < head.collectionCount; index++) {
    const name = reader.text();
    const recordCount = reader.u32();
    reader.u32();
    counts.push({ name, recordCount });
  }
  return { head, counts };
}

/** A whole block, checked: size, CRC, and that TOC and frames fill it exactly. The frames are views of `bytes`. */
export function decodeBlock(bytes: Buffer): RepoBlock {
  const reader = new ByteReader(bytes);
  const { size, collectionCount, crc, ...about } = readHead(reader);
  if (size !== bytes.length) throw new BadBytes(`the block says ${size} bytes and has ${bytes.length}`);
  if (crc32(bytes.subarray(reader.position)) !== crc) throw new BadBytes("the CRC32 of the block's contents is wrong");
  const toc: { name: string; recordCount: number; frameSize: number }[] = [];
  for (let index = 0; index < collectionCount; index++) {
    toc.push({ name: reader.text(), recordCount: reader.u32(), frameSize: reader.u32() });
  }
  const collections = toc.map(({ name, recordCount, frameSize }) => ({
    name,
    recordCount,
    frame: reader.bytes(frameSize),
  }));
  if (reader.left > 0) throw new BadBytes(`${reader.left} bytes of the block belong to no collection`);
  return { ...about, collections };
}

function readHead(reader: ByteReader): BlockHead {
  const size = reader.u32();
  if (size < MIN_BLOCK_SIZE) throw new BadBytes(`no block has ${size} bytes`);
  return {
    size,
    did: reader.text(),
    pds: reader.text(),
    rev: reader.text(),
    crawledAt: reader.i64(),
    collectionCount: reader.u16(),
    crc: reader.u32(),
  };
}

/** A string preceded by its u16 length. */
export function textField(text: string): Buffer {
  const length = Buffer.byteLength(text);
  if (length > MAX_TEXT) throw new RepoNotStorable(`a name of ${length} bytes`);
  const field = Buffer.allocUnsafe(2 + length);
  field.writeUInt16LE(length, 0);
  field.write(text, 2);
  return field;
}

const sum = <T>(items: readonly T[], size: (item: T) => number): number =>
  items.reduce((total, item) => total + size(item), 0);
