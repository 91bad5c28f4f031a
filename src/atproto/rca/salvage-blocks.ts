/** Finds every whole block of a segment, through its index or without it, and says what stands between them. */
import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { BadBytes, type Damage, reasonOf } from "./bad-bytes.ts";
import { decodeBlock } from "./block.ts";
import { FileWindow } from "./file-window.ts";
import { type IndexEntry, indexEntryOf } from "./index-section.ts";
import { HEADER_SIZE, type SegmentKind } from "./layout.ts";
import { readFrame, type SegmentFrame } from "./read-frame.ts";
import type { StoredIndex } from "./stored-index.ts";
import { walkBlocks } from "./walk.ts";

export interface Salvage {
  entries: IndexEntry[];
  createdAt: bigint;
  /** Where the last whole block ends. */
  end: number;
  /** The blocks follow one another from the header on; only a torn end, or the index, comes behind. */
  contiguous: boolean;
  /** Finished, and nothing is wrong. */
  whole: boolean;
}

export interface SalvageOptions {
  path: string;
  handle: FileHandle;
  size: number;
  kind: SegmentKind;
  onDamage: (damage: Damage) => void;
}

const READ_AHEAD = 1024 * 1024;

export async function salvageBlocks(options: SalvageOptions): Promise<Salvage> {
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
  /** Places that were blocks once. A torn end never was one. */
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
      // At that place stands the index, whose damage was told.
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
