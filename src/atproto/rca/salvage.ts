/**
 * What comes before a crawl goes on: segments that a crash left as `.partial` are finished. They are not appended to: a
 * file that is finished is never touched again, and the next segment has a number that no other process has.
 */
import { TrawlError } from "../../errors.ts";
import type { Damage } from "./bad-bytes.ts";
import { type RepairResult, repairSegment } from "./repair.ts";
import { segmentNames } from "./segment-names.ts";

/** Leaves alone what another process is writing. Proofs come first, as they do when a segment is finished. */
export async function salvageFolder(folder: string, onDamage: (damage: Damage) => void): Promise<RepairResult[]> {
  const results: RepairResult[] = [];
  const partial = (await segmentNames(folder)).filter(({ state }) => state === "partial");
  partial.sort((a, b) => a.number - b.number || (a.kind === "rcx" ? -1 : 1));
  for (const { path, kind } of partial) {
    try {
      results.push(await repairSegment(path, onDamage, kind));
    } catch (error) {
      const code = error instanceof TrawlError ? error.code : null;
      // Somebody is writing it, or has finished it since we looked.
      if (code !== "SEGMENT_BUSY" && !isGone(error)) throw error;
    }
  }
  return results;
}

const isGone = (error: unknown): boolean =>
  error instanceof TrawlError && (error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
