/** One segment while it is written: a number of its own, files that grow, and their end. */
import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { AppendFile } from "../../../storage/append-file.ts";
import { makeFolder, notWritable } from "../../../storage/durable.ts";
import { realFileSystem } from "../../../storage/file-system.ts";
import {
  encodeFooter,
  encodeHeader,
  encodeIndex,
  type IndexEntry,
  indexEntryOf,
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

export async function openSegment(folder: string, createdAt: bigint, withProofs: boolean): Promise<OpenSegment> {
  await makeFolder(folder);
  const taken = await segmentNames(folder);
  for (let number = (taken.at(-1)?.number ?? 0) + 1; ; number++) {
    const segment = await claim(folder, number, createdAt, withProofs);
    if (segment !== null) return segment;
  }
}

/** Null when another process was quicker. */
async function claim(
  folder: string,
  number: number,
  createdAt: bigint,
  withProofs: boolean,
): Promise<OpenSegment | null> {
  const path = segmentPath(folder, number, "rca");
  const lock = lockSegment(path);
  if (lock === null) return null;
  let records: SegmentFile | null = null;
  let proofs: SegmentFile | null = null;
  try {
    records = await SegmentFile.create(path, "rca", createdAt);
    // A segment may have been finished between our look at the folder and now; its name would be written over.
    const free = records !== null && !existsSync(path);
    if (free && withProofs) proofs = await SegmentFile.create(segmentPath(folder, number, "rcx"), "rcx", createdAt);
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
    const [entry] = await Promise.all([records.append(did, block), proof === null ? null : proofs?.append(did, proof)]);
    return entry;
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
  readonly #kind: SegmentKind;
  readonly #createdAt: bigint;
  readonly #file: AppendFile;
  readonly #entries: IndexEntry[] = [];

  private constructor(path: string, kind: SegmentKind, createdAt: bigint, file: AppendFile) {
    this.path = path;
    this.#kind = kind;
    this.#createdAt = createdAt;
    this.#file = file;
  }

  /** Null when the `.partial` is there already. */
  static async create(path: string, kind: SegmentKind, createdAt: bigint): Promise<SegmentFile | null> {
    const partial = path + PARTIAL_SUFFIX;
    try {
      await (await open(partial, "wx")).close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return null;
      throw notWritable(partial, error);
    }
    const file = await AppendFile.open(partial);
    try {
      await file.append(encodeHeader({ kind, createdAt, repoCount: 0, indexOffset: 0n }));
    } catch (error) {
      await file.close();
      await rm(partial, { force: true });
      throw error;
    }
    return new SegmentFile(path, kind, createdAt, file);
  }

  /** Resolves when the block is durable. */
  async append(did: string, block: Buffer): Promise<IndexEntry> {
    const entry = indexEntryOf(did, await this.#file.append(block), block);
    this.#entries.push(entry);
    return entry;
  }

  /** Not while something is appended. Null, and no file left, when nothing was. */
  async finish(): Promise<FinishedSegment | null> {
    await this.#file.close();
    const from = this.path + PARTIAL_SUFFIX;
    if (this.#entries.length === 0) {
      await rm(from);
      return null;
    }
    const { length: end } = this.#file;
    return finishSegment({
      from,
      to: this.path,
      kind: this.#kind,
      createdAt: this.#createdAt,
      entries: this.#entries,
      end,
    });
  }
}

export interface Unfinished {
  /** The file as it is named now, and as it will be. */
  from: string;
  to: string;
  kind: SegmentKind;
  createdAt: bigint;
  entries: readonly IndexEntry[];
  /** Where the blocks end; what stands behind is cut off. */
  end: number;
}

export interface FinishedSegment {
  path: string;
  repoCount: number;
  /** Of the file. */
  size: number;
}

/** Index, footer, header again, and the final name; a crash at any step leaves a file whose blocks are found again. */
export async function finishSegment(segment: Unfinished): Promise<FinishedSegment> {
  const { from, to, kind, createdAt, entries, end } = segment;
  const index = encodeIndex(entries);
  const repoCount = entries.length;
  const indexOffset = BigInt(end);
  const footer = encodeFooter({ kind, indexOffset, indexSize: index.length, repoCount, indexCrc: crc32(index) });
  try {
    const handle = await open(from, "r+");
    try {
      await handle.truncate(end);
      await handle.write(index, 0, index.length, end);
      await handle.write(footer, 0, footer.length, end + index.length);
      // The header speaks of the index: it must not reach the disk before it.
      await handle.sync();
      await handle.write(encodeHeader({ kind, createdAt, repoCount, indexOffset }), 0, null, 0);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(from, to);
    await realFileSystem.syncFolder(dirname(to));
  } catch (error) {
    throw notWritable(to, error);
  }
  return { path: to, repoCount, size: end + index.length + footer.length };
}
