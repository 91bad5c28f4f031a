/**
 * The index section of a finished segment. Opening it reads it once, to check its CRC32, its order and its bounds; what
 * stays in memory is the place of every 64th entry. A look-up is a binary search over those, in the file.
 */
import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { BadBytes, ByteReader, compareBytewise, readAt } from "../format/bytes.ts";
import { HEADER_SIZE, type IndexEntry, MIN_BLOCK_SIZE, readIndexEntry, type SegmentFooter } from "../format/frame.ts";

const ANCHOR_EVERY = 64;
const STREAM_BYTES = 256 * 1024;
/** Roughly the bytes between two anchors. */
const LOOK_UP_BYTES = 4096;

/** Where the blocks are, in the order of the file: columns, because a segment of small repos has millions. */
export interface BlockPlaces {
  count: number;
  offsets: Float64Array;
  sizes: Uint32Array;
  crcs: Uint32Array;
  /** The numbers of the entries, by offset. */
  order: Uint32Array;
}

interface Batch {
  /** Where the first entry begins in the file. */
  at: number;
  bytes: Buffer;
  entries: IndexEntry[];
}

export class StoredIndex {
  readonly count: number;
  /** Where the index begins. */
  readonly blocksEnd: number;
  readonly #handle: FileHandle;
  readonly #first: number;
  readonly #end: number;
  readonly #anchors: number[] = [];

  private constructor(handle: FileHandle, footer: SegmentFooter) {
    this.count = footer.repoCount;
    this.#handle = handle;
    this.blocksEnd = Number(footer.indexOffset);
    this.#first = this.blocksEnd + 4;
    this.#end = this.blocksEnd + footer.indexSize;
  }

  /** Throws BadBytes when the index is not what the footer says. */
  static async open(handle: FileHandle, footer: SegmentFooter): Promise<StoredIndex> {
    const index = new StoredIndex(handle, footer);
    await index.#check(footer);
    return index;
  }

  /** In the order of DIDs. */
  async *entries(): AsyncGenerator<IndexEntry> {
    for await (const { entries } of this.#batches(this.#first, STREAM_BYTES)) yield* entries;
  }

  /** All entries of a DID, in the order of the file. */
  async find(did: string): Promise<IndexEntry[]> {
    let low = 0;
    let high = this.#anchors.length;
    // The last anchor before the DID; an anchor of the DID itself may have others of it before.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytewise(await this.#didAt(this.#anchors[middle]!), did) < 0) low = middle + 1;
      else high = middle;
    }
    const found: IndexEntry[] = [];
    for await (const { entries } of this.#batches(this.#anchors[Math.max(0, low - 1)] ?? this.#end, LOOK_UP_BYTES)) {
      for (const entry of entries) {
        const order = compareBytewise(entry.did, did);
        if (order > 0) return found;
        if (order === 0) found.push(entry);
      }
    }
    return found;
  }

  async places(): Promise<BlockPlaces> {
    const offsets = new Float64Array(this.count);
    const sizes = new Uint32Array(this.count);
    const crcs = new Uint32Array(this.count);
    let next = 0;
    for await (const { entries } of this.#batches(this.#first, STREAM_BYTES)) {
      for (const { offset, size, crc } of entries) {
        offsets[next] = offset;
        sizes[next] = size;
        crcs[next++] = crc;
      }
    }
    const order = Uint32Array.from({ length: this.count }, (_, entry) => entry);
    order.sort((a, b) => offsets[a]! - offsets[b]!);
    return { count: this.count, offsets, sizes, crcs, order };
  }

  async #check(footer: SegmentFooter): Promise<void> {
    const { blocksEnd } = this;
    const count = await readAt(this.#handle, blocksEnd, 4);
    if (footer.indexSize < 4 || count.readUInt32LE(0) !== footer.repoCount) {
      throw new BadBytes("index and footer give different numbers of repos");
    }
    let crc = crc32(count);
    let seen = 0;
    let before = "";
    for await (const { at, bytes, entries } of this.#batches(this.#first, STREAM_BYTES)) {
      crc = crc32(bytes, crc);
      let position = at;
      for (const { did, offset, size } of entries) {
        if (compareBytewise(before, did) > 0) throw new BadBytes("the index is not sorted");
        if (offset < HEADER_SIZE || size < MIN_BLOCK_SIZE || offset + size > blocksEnd) {
          throw new BadBytes("an entry of the index points outside the blocks");
        }
        if (seen++ % ANCHOR_EVERY === 0) this.#anchors.push(position);
        before = did;
        position += 2 + Buffer.byteLength(did) + 16;
      }
    }
    if (crc !== footer.indexCrc) throw new BadBytes("the CRC32 of the index is wrong");
    if (seen !== this.count) throw new BadBytes(`the index has ${seen} entries, not ${this.count}`);
  }

  async *#batches(start: number, ahead: number): AsyncGenerator<Batch> {
    let wanted = ahead;
    for (let at = start; at < this.#end; ) {
      const bytes = await readAt(this.#handle, at, Math.min(wanted, this.#end - at));
      const reader = new ByteReader(bytes);
      const entries: IndexEntry[] = [];
      while (reader.left >= 2 && reader.left >= 2 + bytes.readUInt16LE(reader.position) + 16) {
        entries.push(readIndexEntry(reader));
      }
      if (entries.length > 0) {
        yield { at, bytes: bytes.subarray(0, reader.position), entries };
        at += reader.position;
      } else if (bytes.length < wanted) {
        throw new BadBytes("the last entry of the index is cut off");
      } else {
        // A DID may be longer than one read.
        wanted *= 2;
      }
    }
  }

  async #didAt(position: number): Promise<string> {
    for await (const { entries } of this.#batches(position, USUAL_ENTRY)) return entries[0]!.did;
    throw new BadBytes("the index became shorter while it was read");
  }
}

/** Large enough for an entry of a did:plc and of most did:web. */
const USUAL_ENTRY = 128;
