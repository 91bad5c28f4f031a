/**
 * What comes before a crawl goes on: segments that a crash left are finished, and what they hold that the state does not
 * know of is taken for stored. A block is on disk before its DID is called completed, so a crash leaves some of those; were
 * they fetched again, the archive would have them twice.
 */

import type { Damage } from "./rca/bad-bytes.ts";
import { salvageFolder } from "./rca/salvage.ts";
import { readableSegments } from "./rca/segment-names.ts";
import { SegmentReader } from "./rca/segment-reader.ts";
import type { CrawlState } from "./state/crawl-state.ts";

/** DIDs told to the state at once. */
const CHUNK = 10_000;
/**
 * The number is saved beside the state, not with it: when it was saved, the last blocks of the segments just before could
 * still wait for their commit. A commit follows within a second, and segments take far longer to fill.
 */
const EARLIER_SEGMENTS = 2;

export interface RecoveredSegments {
  finished: number;
  /** DIDs that the state had not heard of. */
  found: number;
}

/** Segments well before the number that was saved last hold nothing new. */
export async function recoverSegments(
  folder: string,
  state: Pick<CrawlState, "markStored">,
  fromSegment: number,
  onDamage: (damage: Damage) => void,
): Promise<RecoveredSegments> {
  const finished = (await salvageFolder(folder, onDamage)).length;
  let found = 0;
  for (const { path, number, state: kind } of await readableSegments(folder)) {
    // What is partial now is being written by another process.
    if (number < fromSegment - EARLIER_SEGMENTS || kind === "partial") continue;
    const reader = await SegmentReader.open(path, { onDamage });
    try {
      let dids: string[] = [];
      for await (const { did } of reader.entries()) {
        if (dids.push(did) < CHUNK) continue;
        found += await state.markStored(dids);
        dids = [];
      }
      found += await state.markStored(dids);
    } finally {
      await reader.close();
    }
  }
  return { finished, found };
}
