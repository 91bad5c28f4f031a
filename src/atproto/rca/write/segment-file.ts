/** One segment while it is written: a number of its own, files that grow, and their end. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { AppendFile } from "../../../storage/append-file.ts";
import { makeFolder, notWritable } from "../../../storage/durable.ts";
import type { FileSystem } from "../../../storage/file-system.ts";
import {
  encodeFooter,
  encodeHeader,
  encodeIndex,
  HEADER_SIZE,
  type IndexEntry,
  indexEntryOf,
  type SegmentHeader,
  type SegmentKind,
} from "../format/frame.ts";
import { lockSegment, PARTIAL_SUFFIX, segmentNames, segmentPath } from "../format/segment-names.ts";

export interface OpenSegment {
  number: number;
  /** The name it will have. */
  path: string;
  /** Resolves when the block is durable, and its proof if there is one. */
  append(did: string, block: Buffer, proof: Buffer | null): Promise<IndexEntry>;
  /** Null when nothing was appended: then no file is left. */
  finish(): Promise<FinishedSegment | null>;
}

export interface SegmentPlace {
  folder: string;
  /** Unix microseconds. */
  createdAt: bigint;
  withProofs: boolean;
  fs: FileSystem;
}

/**
 * Several processes may write into one folder. The lock is taken first, so that the `.partial` of a running writer always has
 * one; then the exclusive creation of the `.partial` decides.
 */
export async function openSegment(place: SegmentPlace): Promise<OpenSegment> {
  const { folder, fs } = place;
  await makeFolder(folder, fs);
  const taken = await segmentNames(folder);
  for (let number = (taken.at(-1)?.number ?? 0) + 1; ; number++) {
    const segment = await claim(number, place);
    if (segment !== null) return segment;
  }
}

/** Null when another process was faster. */
async function claim(number: number, { folder, createdAt, withProofs, fs }: SegmentPlace): Promise<OpenSegment | null> {
  const path = segmentPath(folder, number, "rca");
  const lock = lockSegment(path);
  if (lock === null) return null;
  let records: SegmentFile | null = null;
  let proofs: SegmentFile | null = null;
  try {
    records = await SegmentFile.create(path, "rca", createdAt, fs);
    // A segment may have been finished since we read the folder; we would overwrite it.
    const free = records !== null && !existsSync(path);
    if (free && withProofs) proofs = await SegmentFile.create(segmentPath(folder, number, "rcx"), "rcx", createdAt, fs);
    if (free && (!withProofs || proofs !== null)) return opened(number, records!, proofs, lock.release);
    await records?.finish();
  } catch (error) {
    await records?.finish().catch(() => {});
    lock.release();
    throw error;
  }
  lock.release();
  return null;
}

const opened = (
  number: number,
  records: SegmentFile,
  proofs: SegmentFile | null,
  release: () => void,
): OpenSegment => ({
  number,
  path: records.path,
  append: async (did, block, proof) => {
    // First, so that no crash leaves a repo without its proof.
    if (proof !== null) await proofs?.append(did, proof);
    return records.append(did, block);
  },
  finish: async () => {
    try {
      // First, so that a finished segment never waits for its proofs.
      await proofs?.finish();
      return await records.finish();
    } finally {
      release();
    }
  },
});

/** One segment while it is written, as `.partial`. What was appended is durable; its index is in memory until the end. */
export class SegmentFile {
  /** The name it will have. */
  readonly path: string;
  readonly #header: SegmentHeader;
  readonly #file: AppendFile;
  readonly #fs: FileSystem;
  readonly #entries: IndexEntry[] = [];

  private constructor(path: string, header: SegmentHeader, file: AppendFile, fs: FileSystem) {
    this.path = path;
    this.#header = header;
    this.#file = file;
    this.#fs = fs;
  }

  /** Null when the `.partial` already exists. */
  static async create(path: string, kind: SegmentKind, createdAt: bigint, fs: FileSystem): Promise<SegmentFile | null> {
    const partial = path + PARTIAL_SUFFIX;
    const header: SegmentHeader = { kind, createdAt, repoCount: 0, indexOffset: 0n };
    try {
      const handle = await fs.open(partial, "wx");
      try {
        // The sync of the first block makes it durable as well.
        await handle.writeFile(encodeHeader(header));
      } finally {
        await handle.close();
      }
      await fs.syncFolder(dirname(partial));
      return new SegmentFile(path, header, await AppendFile.open(partial, fs), fs);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return null;
      await fs.rm(partial, { force: true });
      throw notWritable(partial, error);
    }
  }

  /** Resolves when the block is durable. */
  async append(did: string, block: Buffer): Promise<IndexEntry> {
    const entry = indexEntryOf(did, await this.#file.append(block), block);
    this.#entries.push(entry);
    return entry;
  }

  /** Must not be called during an append. Null, and no file is left, when nothing was appended. */
  async finish(): Promise<FinishedSegment | null> {
    await this.#file.close();
    const from = this.path + PARTIAL_SUFFIX;
    if (this.#entries.length === 0) {
      await this.#fs.rm(from);
      return null;
    }
    const { kind, createdAt } = this.#header;
    const { length: end } = this.#file;
    return finishSegment({ from, to: this.path, kind, createdAt, entries: this.#entries, end }, this.#fs);
  }
}

export interface Unfinished {
  /** The file as it is named now, and as it will be. */
  from: string;
  to: string;
  kind: SegmentKind;
  createdAt: bigint;
  entries: readonly IndexEntry[];
  /** Where the blocks end; anything after that is cut off. */
  end: number;
}

export interface FinishedSegment {
  path: string;
  repoCount: number;
  /** Of the file. */
  size: number;
}

/** Index, footer, header again, and the final name; a crash at any step leaves a file whose blocks are found again. */
export async function finishSegment(segment: Unfinished, fs: FileSystem): Promise<FinishedSegment> {
  const { from, to, kind, createdAt, entries, end } = segment;
  const index = encodeIndex(entries);
  const repoCount = entries.length;
  const indexOffset = BigInt(end);
  const footer = encodeFooter({ kind, indexOffset, indexSize: index.length, repoCount, indexCrc: crc32(index) });
  try {
    const handle = await fs.open(from, "r+");
    try {
      await handle.truncate(end);
      await handle.write(index, 0, index.length, end);
      await handle.write(footer, 0, footer.length, end + index.length);
      await handle.write(encodeHeader({ kind, createdAt, repoCount, indexOffset }), 0, HEADER_SIZE, 0);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(from, to);
    await fs.syncFolder(dirname(to));
  } catch (error) {
    throw notWritable(to, error);
  }
  return { path: to, repoCount, size: end + index.length + footer.length };
}
