/**
 * Reads one segment, finished or not. Everything it returns was checked by CRC32; what is damaged is reported with its
 * offset and skipped, through the index where there is one.
 */
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { TrawlError } from "../../../errors.ts";
import { isMissing, isSystemError } from "../../../storage/durable.ts";
import { type BlockHead, decodeBlock, decodeCounts, decodeHead, type RepoBlock } from "../format/block.ts";
import { BadBytes, compareBytewise, type Damage, FileWindow, readAt, reasonOf } from "../format/bytes.ts";
import {
  compareEntries,
  decodeFooter,
  decodeHeader,
  FOOTER_SIZE,
  HEADER_SIZE,
  type IndexEntry,
  indexEntryOf,
  MAX_BLOCK_SIZE,
  type SegmentFooter,
  type SegmentHeader,
  type SegmentKind,
} from "../format/frame.ts";
import { StoredIndex } from "./stored-index.ts";
import { walkBlocks } from "./walk-blocks.ts";

/** A repo with its place in the file. */
export interface StoredRepo extends RepoBlock {
  offset: number;
  size: number;
}

export interface SegmentReaderOptions {
  onDamage: (damage: Damage) => void;
}

export interface RepoCounts {
  head: BlockHead;
  counts: { name: string; recordCount: number }[];
}

/** A block without what is in it. */
export interface BlockAt {
  head: BlockHead;
  offset: number;
  size: number;
  /** Of the whole block. */
  crc: number;
}

/** Most heads fit. */
const HEAD_BYTES = 256;
/** Blocks that are smaller on average are read through; of larger ones only the heads are. */
const SMALL_BLOCK = 16 * 1024;
const READ_AHEAD = 1024 * 1024;
/** Head and TOC of most repos. */
const COUNTS_BYTES = 2048;

export class SegmentReader {
  readonly path: string;
  readonly size: number;
  /** Null when its bytes are damaged, which is reported. */
  readonly header: SegmentHeader | null;
  readonly #handle: FileHandle;
  readonly #index: StoredIndex | null;
  readonly #options: SegmentReaderOptions;
  #walked: Promise<IndexEntry[]> | null = null;

  private constructor(
    place: { path: string; handle: FileHandle; size: number },
    frame: SegmentFrame,
    options: SegmentReaderOptions,
  ) {
    this.path = place.path;
    this.size = place.size;
    this.#handle = place.handle;
    this.header = frame.header;
    this.#index = frame.index;
    this.#options = options;
  }

  static async open(path: string, options: SegmentReaderOptions, kind: SegmentKind = "rca"): Promise<SegmentReader> {
    const handle = await open(path, "r").catch((error) => {
      throw notReadable(path, error);
    });
    try {
      const { size } = await handle.stat();
      const frame = await readFrame(handle, size, kind);
      if (frame === null) throw new TrawlError("NOT_A_SEGMENT", `${path} is not an .${kind} segment.`);
      for (const problem of frame.problems) options.onDamage({ path, did: null, torn: false, ...problem });
      return new SegmentReader({ path, handle, size }, frame, options);
    } catch (error) {
      await handle.close();
      // Such as a folder, which can be opened but not read.
      throw isSystemError(error) ? notReadable(path, error) : error;
    }
  }

  /** Whether there is an intact index. */
  get indexed(): boolean {
    return this.#index !== null;
  }

  /** All repos in the order of the file. */
  async *repos(): AsyncGenerator<StoredRepo> {
    if (this.#index === null) {
      for await (const step of this.#walk()) {
        if (step.kind === "block") yield { ...step.repo, offset: step.offset, size: step.bytes.length };
      }
      return;
    }
    const window = new FileWindow(this.#handle, this.size, READ_AHEAD);
    const { count, offsets, sizes, crcs, order } = await this.#index.places();
    for (let next = 0; next < count; next++) {
      const entry = order[next]!;
      const place = { offset: offsets[entry]!, size: sizes[entry]!, crc: crcs[entry]! };
      const repo = await this.#read(window, place, null);
      if (repo !== null) yield repo;
    }
  }

  /** Where each block is and what it is of, in the order of the file. Only the heads are read, so their CRCs are not checked. */
  async *heads(): AsyncGenerator<BlockAt> {
    if (this.#index === null) {
      for await (const { offset, bytes } of this.#walk()) {
        yield { head: decodeHead(bytes), offset, size: bytes.length, crc: crc32(bytes) };
      }
      return;
    }
    const { count, offsets, sizes, crcs, order } = await this.#index.places();
    const ahead = this.size / Math.max(1, count) < SMALL_BLOCK ? READ_AHEAD : HEAD_BYTES;
    const window = new FileWindow(this.#handle, this.size, ahead);
    for (let next = 0; next < count; next++) {
      const entry = order[next]!;
      const at = { offset: offsets[entry]!, size: sizes[entry]!, crc: crcs[entry]! };
      const head = await this.#head(window, at);
      if (head !== null) yield { head, ...at };
    }
  }

  /** The index in the order of DIDs; for an unfinished segment it is made by a walk, and held in memory. */
  async *entries(): AsyncGenerator<IndexEntry> {
    if (this.#index === null) yield* await this.#walkedEntries();
    else yield* this.#index.entries();
  }

  /** The places of a DID's blocks, in the order of the file. */
  async find(did: string): Promise<IndexEntry[]> {
    if (this.#index !== null) return this.#index.find(did);
    const entries = await this.#walkedEntries();
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytewise(entries[middle]!.did, did) < 0) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (entries[end]?.did === did) end++;
    return entries.slice(low, end);
  }

  /** The block of an entry; null when it is damaged, which is reported. */
  async read(entry: IndexEntry): Promise<StoredRepo | null> {
    return this.#read(new FileWindow(this.#handle, this.size, 0), entry, entry.did);
  }

  /**
   * Rev and number of records without the records. Much is left unread, so the CRCs cannot be checked: the DID must be
   * that of the index. Null if it is not, which is reported.
   */
  async readCounts(entry: IndexEntry): Promise<RepoCounts | null> {
    for (let length = COUNTS_BYTES; ; length *= 4) {
      const bytes = await readAt(this.#handle, entry.offset, Math.min(length, entry.size));
      try {
        const counts = decodeCounts(bytes);
        if (counts.head.did === entry.did && counts.head.size === entry.size) return counts;
        throw new BadBytes("the block is not the one that the index names");
      } catch (error) {
        const reason = reasonOf(error);
        if (bytes.length < entry.size && bytes.length === length) continue;
        this.#damaged(entry.offset, entry.did, reason);
        return null;
      }
    }
  }

  /** Reports places between the blocks that no entry of the index covers, or two do. */
  async checkCoverage(): Promise<void> {
    if (this.#index === null) return;
    const { count, offsets, sizes, order } = await this.#index.places();
    let end = HEADER_SIZE;
    for (let next = 0; next < count; next++) {
      const offset = offsets[order[next]!]!;
      if (offset > end) this.#damaged(end, null, `${offset - end} bytes belong to no block of the index`);
      if (offset < end) this.#damaged(offset, null, "two blocks of the index overlap");
      end = Math.max(end, offset + sizes[order[next]!]!);
    }
    const last = this.#index.blocksEnd;
    if (last > end) this.#damaged(end, null, `${last - end} bytes belong to no block of the index`);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #read(
    window: FileWindow,
    { offset, size, crc }: Omit<IndexEntry, "did">,
    did: string | null,
  ): Promise<StoredRepo | null> {
    try {
      if (size > MAX_BLOCK_SIZE) throw new BadBytes(`a block of ${size} bytes is over the limit`);
      const bytes = await window.read(offset, size);
      if (crc32(bytes) !== crc) throw new BadBytes("the CRC32 of the block does not match the index");
      const repo = decodeBlock(bytes);
      if (did !== null && repo.did !== did) throw new BadBytes(`the index calls it ${did}, the block ${repo.did}`);
      return { ...repo, offset, size };
    } catch (error) {
      const reason = reasonOf(error);
      this.#damaged(offset, did ?? (await this.#didOf(offset)), reason);
      return null;
    }
  }

  async #head(window: FileWindow, { offset, size }: { offset: number; size: number }): Promise<BlockHead | null> {
    for (let length = HEAD_BYTES; ; length = size) {
      try {
        const head = decodeHead(await window.read(offset, Math.min(length, size)));
        if (head.size === size) return head;
        throw new BadBytes("the block is not the one that the index names");
      } catch (error) {
        const reason = reasonOf(error);
        // A hostile host may have a name of 64 KB.
        if (length < size) continue;
        this.#damaged(offset, null, reason);
        return null;
      }
    }
  }

  async *#walk() {
    const window = new FileWindow(this.#handle, this.size, READ_AHEAD);
    for await (const step of walkBlocks({ window, end: this.size, resync: false })) {
      if (step.kind === "block") yield step;
      else this.#damaged(step.offset, null, step.reason, step.last);
    }
  }

  #walkedEntries(): Promise<IndexEntry[]> {
    this.#walked ??= (async () => {
      const entries: IndexEntry[] = [];
      for await (const { repo, offset, bytes } of this.#walk()) entries.push(indexEntryOf(repo.did, offset, bytes));
      return entries.sort(compareEntries);
    })();
    return this.#walked;
  }

  async #didOf(offset: number): Promise<string | null> {
    for await (const entry of this.entries()) if (entry.offset === offset) return entry.did;
    return null;
  }

  #damaged(offset: number, did: string | null, reason: string, torn = false): void {
    this.#options.onDamage({ path: this.path, offset, did, reason, torn });
  }
}

const notReadable = (path: string, error: Error): TrawlError =>
  new TrawlError("FILE_NOT_READABLE", `${path} cannot be read: ${error.message}`, { cause: error });

/** A segment that was there a moment ago is gone: it was finished under its last name, or `compact` put what counts of it elsewhere. */
export const isGone = (error: unknown): boolean => error instanceof TrawlError && isMissing(error.cause);

/** What surrounds the blocks of a segment; each part is read if it is intact. */
export interface SegmentFrame {
  header: SegmentHeader | null;
  /** Null while the segment is unfinished, or when it is damaged. */
  index: StoredIndex | null;
  problems: { offset: number; reason: string }[];
}

/** Null when neither end of the file is that of a segment. */
export async function readFrame(handle: FileHandle, size: number, kind: SegmentKind): Promise<SegmentFrame | null> {
  const problems: SegmentFrame["problems"] = [];
  const attempt = async <T>(offset: number, read: () => Promise<T>): Promise<T | null> => {
    try {
      return await read();
    } catch (error) {
      problems.push({ offset, reason: reasonOf(error) });
      return null;
    }
  };

  const header = await attempt(0, async () => {
    const found = decodeHeader(await readAt(handle, 0, HEADER_SIZE));
    return requireKind(found, kind);
  });
  const footerAt = Math.max(HEADER_SIZE, size - FOOTER_SIZE);
  // An unfinished segment has no footer, and that is correct.
  const unfinished = header?.indexOffset === 0n && header.repoCount === 0;
  const known = problems.length;
  const footer = await attempt(footerAt, async () => {
    const found = decodeFooter(await readAt(handle, footerAt, FOOTER_SIZE), size);
    return requireKind(found, kind);
  });
  if (footer === null && unfinished) problems.length = known;
  const index = footer && (await attempt(Number(footer.indexOffset), () => StoredIndex.open(handle, footer)));
  if (header === null && index === null) return null;
  if (header !== null && index !== null && !agree(header, footer!)) {
    problems.push({ offset: 0, reason: "header and footer differ" });
  }
  return { header, index, problems };
}

const agree = (header: SegmentHeader, footer: SegmentFooter): boolean =>
  header.repoCount === footer.repoCount && header.indexOffset === footer.indexOffset;

function requireKind<T extends { kind: SegmentKind }>(found: T, kind: SegmentKind): T {
  if (found.kind !== kind) throw new BadBytes(`this is an .${found.kind} segment, not an .${kind}`);
  return found;
}
