/** The end of a segment's writing: index, footer, header again, and the final name; crash-safe at every step. */
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { notWritable } from "../../storage/durable.ts";
import { realFileSystem } from "../../storage/file-system.ts";
import { encodeIndex, type IndexEntry } from "./index-section.ts";
import type { SegmentKind } from "./layout.ts";
import { encodeFooter, encodeHeader } from "./segment-frame.ts";

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
