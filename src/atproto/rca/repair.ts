/**
 * Makes a whole, finished segment of what a crash or a bad disk left. Every whole block is kept. A torn end is cut off;
 * where damage stands between blocks, the good ones are copied, and the damaged file is kept beside as `.damaged`.
 */
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { TrawlError } from "../../errors.ts";
import { notWritable } from "../../storage/durable.ts";
import type { Damage } from "./bad-bytes.ts";
import { FileWindow } from "./file-window.ts";
import { finishSegment } from "./finish-segment.ts";
import type { IndexEntry } from "./index-section.ts";
import { HEADER_SIZE, type SegmentKind } from "./layout.ts";
import { type Salvage, salvageBlocks } from "./salvage-blocks.ts";
import { encodeHeader } from "./segment-frame.ts";
import { lockSegment } from "./segment-lock.ts";
import { PARTIAL_SUFFIX } from "./segment-names.ts";

export interface RepairResult {
  /**
   * whole: nothing was to do. finished: index and name were missing or wrong, the blocks were not touched but for a torn
   * end. rewritten: the good blocks were copied. removed: there was no whole block in an unfinished segment.
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
): Promise<RepairResult> {
  const lock = lockSegment(path);
  if (lock === null) throw new TrawlError("SEGMENT_BUSY", `${path} is being written by another process.`);
  try {
    return await repair(path, onDamage, kind);
  } finally {
    lock.release();
  }
}

async function repair(path: string, onDamage: (damage: Damage) => void, kind: SegmentKind): Promise<RepairResult> {
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
      if (!unfinished) throw new TrawlError("NOT_A_SEGMENT", `There is no whole block in ${path}.`);
      await rm(path);
      return { action: "removed", path, repos, kept: null };
    }
    const { createdAt, entries, end } = salvage;
    if (salvage.contiguous) {
      const partial = final + PARTIAL_SUFFIX;
      if (!unfinished) await rename(path, partial);
      await finishSegment({ from: partial, to: final, kind, createdAt, entries, end });
      return { action: "finished", path: final, repos, kept: null };
    }
    const kept = await rewrite(handle, size, { path, final, kind }, salvage);
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
  { path, final, kind }: { path: string; final: string; kind: SegmentKind },
  { entries, createdAt }: Salvage,
): Promise<string> {
  const copy = `${final}.repair`;
  const window = new FileWindow(source, size, COPY_BYTES);
  const moved: IndexEntry[] = [];
  let end = HEADER_SIZE;
  const target = await open(copy, "w");
  try {
    await target.write(encodeHeader({ kind, createdAt, repoCount: 0, indexOffset: 0n }));
    for (const entry of entries.toSorted((a, b) => a.offset - b.offset)) {
      const block = await window.read(entry.offset, entry.size);
      await target.write(block, 0, block.length, end);
      moved.push({ ...entry, offset: end });
      end += block.length;
    }
  } finally {
    await target.close();
  }
  // The damaged file has its second name before the good one takes its place.
  const kept = await linkDamaged(path, `${final}.damaged`);
  await finishSegment({ from: copy, to: final, kind, createdAt, entries: moved, end });
  if (path !== final) await rm(path);
  return kept;
}

async function linkDamaged(path: string, name: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const kept = attempt === 1 ? name : `${name}-${attempt}`;
    try {
      await link(path, kept);
      return kept;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
