/**
 * A segment number of one's own, with its files: several processes may write into one folder. The lock comes first, so
 * nobody ever sees a `.partial` of a living writer without one; then the exclusive making of the `.partial` decides.
 */
import { existsSync } from "node:fs";
import { makeFolder } from "../../storage/durable.ts";
import type { FinishedSegment } from "./finish-segment.ts";
import type { IndexEntry } from "./index-section.ts";
import { SegmentFile } from "./segment-file.ts";
import { lockSegment } from "./segment-lock.ts";
import { segmentNames, segmentPath } from "./segment-names.ts";

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
