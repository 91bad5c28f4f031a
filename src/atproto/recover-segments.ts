/**
 * What happens before a crawl continues: segments that a crash left are finished, and repos in them that the state does
 * not know are marked as stored. A block is on disk before its DID is called completed, so a crash leaves some of those; if
 * they were fetched again, the archive would have them twice.
 */

import { type FileSystem, realFileSystem } from "../storage/file-system.ts";
import type { Damage } from "./rca/format/bytes.ts";
import { readableSegments } from "./rca/format/segment-names.ts";
import { openReadable } from "./rca/read/archive.ts";
import { salvageFolder } from "./rca/repair/repair-segments.ts";
import type { CrawlState } from "./state/crawl-state.ts";

/** DIDs marked in one call. */
const CHUNK = 10_000;
/** Segments that are started at the same time may be numbered in a different order than their repos are settled. */
const EARLIER_SEGMENTS = 2;

export interface RecoveredSegments {
  finished: number;
  /** DIDs that were not in the state, and the bytes of their blocks. */
  found: number;
  foundBytes: number;
}

/** Segments well before the one that was settled last contain nothing new. */
export async function recoverSegments(
  folder: string,
  state: Pick<CrawlState, "markStored">,
  fromSegment: number,
  onDamage: (damage: Damage) => void,
  fs: FileSystem = realFileSystem,
): Promise<RecoveredSegments> {
  const finished = (await salvageFolder(folder, onDamage, fs)).length;
  let found = 0;
  let foundBytes = 0;
  const mark = async (sizes: ReadonlyMap<string, number>): Promise<void> => {
    for (const did of await state.markStored([...sizes.keys()])) {
      found++;
      foundBytes += sizes.get(did)!;
    }
  };
  for (const name of await readableSegments(folder)) {
    // Segments that are still partial are being written by another process.
    if (name.number < fromSegment - EARLIER_SEGMENTS || name.state === "partial") continue;
    const reader = await openReadable(name, onDamage);
    if (reader === null) continue;
    try {
      const sizes = new Map<string, number>();
      for await (const { did, size } of reader.entries()) {
        if (sizes.set(did, size).size < CHUNK) continue;
        await mark(sizes);
        sizes.clear();
      }
      await mark(sizes);
    } finally {
      await reader.close();
    }
  }
  return { finished, found, foundBytes };
}
