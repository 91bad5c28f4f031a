/**
 * Turns what a crash or a bad disk left into an intact, finished segment. Every intact block is kept. A torn end is cut off. If
 * there is damage between blocks, the good ones are copied, and the damaged file is kept as `.damaged`.
 */
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { TrawlError } from "../../../errors.ts";
import { notWritable } from "../../../storage/durable.ts";
import { type FileSystem, realFileSystem } from "../../../storage/file-system.ts";
import { decodeBlock } from "../format/block.ts";
import { BadBytes, type Damage, FileWindow, reasonOf } from "../format/bytes.ts";
import { encodeHeader, HEADER_SIZE, type IndexEntry, indexEntryOf, type SegmentKind } from "../format/frame.ts";
import { lockSegment, PARTIAL_SUFFIX, segmentNames } from "../format/segment-names.ts";
import { isGone, readFrame, type SegmentFrame } from "../read/segment-reader.ts";
import type { StoredIndex } from "../read/stored-index.ts";
import { walkBlocks } from "../read/walk-blocks.ts";
import { finishSegment } from "../write/segment-file.ts";

export interface RepairResult {
  /**
   * whole: nothing to do. finished: index and name were missing or wrong; the blocks were not changed, except for a torn
   * end. rewritten: the good blocks were copied. removed: an unfinished segment had no whole block.
   */
  action: "whole" | "finished" | "rewritten" | "removed";
  /** The file that readers read now. */
  path: string;
  repos: number;
  /** Where the damaged file is kept, if it is. */
  kept: string | null;
}

const COPY_BYTES = 1024 * 1024;

export async function repairSegment(
  path: string,
  onDamage: (damage: Damage) => void,
  kind: SegmentKind = "rca",
  fs: FileSystem = realFileSystem,
): Promise<RepairResult> {
  const lock = lockSegment(path);
  if (lock === null) throw new TrawlError("SEGMENT_BUSY", `${path} is being written by another process.`);
  try {
    return await repair(path, onDamage, kind, fs);
  } finally {
    lock.release();
  }
}

async function repair(
  path: string,
  onDamage: (damage: Damage) => void,
  kind: SegmentKind,
  fs: FileSystem,
): Promise<RepairResult> {
  const unfinished = path.endsWith(PARTIAL_SUFFIX);
  const final = unfinished ? path.slice(0, -PARTIAL_SUFFIX.length) : path;
  const handle = await open(path, "r").catch((error: Error) => {
    throw new TrawlError("FILE_NOT_READABLE", `${path} cannot be read: ${error.message}`, { cause: error });
  });
  try {
    const { size } = await handle.stat();
    const salvage = await salvageBlocks({ path, handle, size, kind, onDamage });
    const repos = salvage.entries.length;
    if (salvage.whole && !unfinished) return { action: "whole", path, repos, kept: null };
    if (repos === 0) {
      if (!unfinished) throw new TrawlError("NOT_A_SEGMENT", `${path} has no whole block.`);
      await fs.rm(path);
      return { action: "removed", path, repos, kept: null };
    }
    const { createdAt, entries, end } = salvage;
    if (salvage.contiguous) {
      const partial = final + PARTIAL_SUFFIX;
      if (!unfinished) await fs.rename(path, partial);
      await finishSegment({ from: partial, to: final, kind, createdAt, entries, end }, fs);
      return { action: "finished", path: final, repos, kept: null };
    }
    const kept = await rewrite(handle, size, { path, final, kind, fs }, salvage);
    return { action: "rewritten", path: final, repos, kept };
  } catch (error) {
    throw notWritable(path, error);
  } finally {
    await handle.close();
  }
}

/** Copies the good blocks; returns where the damaged file is kept. */
async function rewrite(
  source: FileHandle,
  size: number,
  { path, final, kind, fs }: { path: string; final: string; kind: SegmentKind; fs: FileSystem },
  { entries, createdAt }: Salvage,
): Promise<string> {
  const copy = `${final}.repair`;
  const window = new FileWindow(source, size, COPY_BYTES);
  const moved: IndexEntry[] = [];
  let end = HEADER_SIZE;
  const target = await fs.open(copy, "w");
  try {
    await target.write(encodeHeader({ kind, createdAt, repoCount: 0, indexOffset: 0n }), 0, HEADER_SIZE, 0);
    for (const entry of entries.toSorted((a, b) => a.offset - b.offset)) {
      const block = await window.read(entry.offset, entry.size);
      await target.write(block, 0, block.length, end);
      moved.push({ ...entry, offset: end });
      end += block.length;
    }
  } finally {
    await target.close();
  }
  const kept = await linkDamaged(path, `${final}.damaged`, fs);
  // The damaged file gets its second name before the good one replaces it. An unfinished one is not replaced.
  if (path === final) await fs.syncFolder(dirname(final));
  await finishSegment({ from: copy, to: final, kind, createdAt, entries: moved, end }, fs);
  if (path !== final) {
    await fs.rm(path);
    // If it came back next to the good one, readers would see its repos twice.
    await fs.syncFolder(dirname(final));
  }
  return kept;
}

async function linkDamaged(path: string, name: string, fs: FileSystem): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const kept = attempt === 1 ? name : `${name}-${attempt}`;
    try {
      await fs.link(path, kept);
      return kept;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

interface Salvage {
  entries: IndexEntry[];
  createdAt: bigint;
  /** Where the last whole block ends. */
  end: number;
  /** The blocks follow one another from the header on; only a torn end, or the index, comes behind. */
  contiguous: boolean;
  /** Finished, and nothing is wrong. */
  whole: boolean;
}

interface SalvageOptions {
  path: string;
  handle: FileHandle;
  size: number;
  kind: SegmentKind;
  onDamage: (damage: Damage) => void;
}

const READ_AHEAD = 1024 * 1024;

/** Finds every whole block of a segment, through its index or without it, and reports what stands between them. */
async function salvageBlocks(options: SalvageOptions): Promise<Salvage> {
  const { path, handle, size, kind, onDamage } = options;
  const frame: SegmentFrame | null = await readFrame(handle, size, kind);
  for (const problem of frame?.problems ?? []) onDamage({ path, did: null, torn: false, ...problem });
  const index = frame?.index ?? null;
  const found = index === null ? await walk(options, frame) : await readByIndex(options, index);

  const end = found.entries.reduce((last, entry) => Math.max(last, entry.offset + entry.size), HEADER_SIZE);
  const filled = found.entries.reduce((total, entry) => total + entry.size, HEADER_SIZE);
  const contiguous = found.damaged === 0 && filled === end && (index === null || end === index.blocksEnd);
  return {
    entries: found.entries,
    createdAt: frame?.header?.createdAt ?? found.earliest ?? 0n,
    end,
    contiguous,
    whole: index !== null && contiguous && frame!.problems.length === 0,
  };
}

interface Found {
  entries: IndexEntry[];
  /** Places that used to be blocks. A torn end never was one. */
  damaged: number;
  /** The time of the earliest repo, for a segment whose header is gone. */
  earliest: bigint | null;
}

async function readByIndex({ path, handle, size, onDamage }: SalvageOptions, index: StoredIndex): Promise<Found> {
  const window = new FileWindow(handle, size, READ_AHEAD);
  const found: Found = { entries: [], damaged: 0, earliest: null };
  const all: IndexEntry[] = [];
  for await (const entry of index.entries()) all.push(entry);
  for (const entry of all.sort((a, b) => a.offset - b.offset)) {
    const { did, offset } = entry;
    try {
      const bytes = await window.read(offset, entry.size);
      const repo = decodeBlock(bytes);
      if (crc32(bytes) !== entry.crc || repo.did !== did) throw new BadBytes("the block is not that of the index");
      keep(found, entry, repo.crawledAt);
    } catch (error) {
      found.damaged++;
      onDamage({ path, offset, did, reason: reasonOf(error), torn: false });
    }
  }
  return found;
}

async function walk({ path, handle, size, onDamage }: SalvageOptions, frame: SegmentFrame | null): Promise<Found> {
  const window = new FileWindow(handle, size, READ_AHEAD);
  const found: Found = { entries: [], damaged: 0, earliest: null };
  const indexOffset = Number(frame?.header?.indexOffset ?? 0n);
  for await (const step of walkBlocks({ window, end: size, resync: true })) {
    if (step.kind === "block") {
      keep(found, indexEntryOf(step.repo.did, step.offset, step.bytes), step.repo.crawledAt);
    } else if (step.offset !== indexOffset) {
      // The index is at that place, and its damage has been reported.
      const { offset, reason } = step;
      const torn = step.last && indexOffset === 0;
      if (!torn) found.damaged++;
      onDamage({ path, offset, did: null, reason, torn });
    }
  }
  return found;
}

function keep(found: Found, entry: IndexEntry, crawledAt: bigint): void {
  found.entries.push(entry);
  if (found.earliest === null || crawledAt < found.earliest) found.earliest = crawledAt;
}

/**
 * Finishes the segments that a crash left as `.partial`. They are not appended to: a file that is finished is never
 * touched again, and the next segment has a number that no other process has. Leaves alone what another process is
 * writing. Proofs come first, as they do when a segment is finished.
 */
export async function salvageFolder(
  folder: string,
  onDamage: (damage: Damage) => void,
  fs: FileSystem = realFileSystem,
): Promise<RepairResult[]> {
  const results: RepairResult[] = [];
  const partial = (await segmentNames(folder)).filter(({ state }) => state === "partial");
  partial.sort((a, b) => a.number - b.number || (a.kind === "rcx" ? -1 : 1));
  for (const { path, kind } of partial) {
    try {
      results.push(await repairSegment(path, onDamage, kind, fs));
    } catch (error) {
      const code = error instanceof TrawlError ? error.code : null;
      // Another process is writing it, or has finished it since we looked.
      if (code !== "SEGMENT_BUSY" && !isGone(error)) throw error;
    }
  }
  return results;
}
