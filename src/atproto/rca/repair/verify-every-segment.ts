/** Checks all segments of a folder, also while a crawl finishes some and `compact` replaces others. */
import { existsSync } from "node:fs";
import { TrawlError } from "../../../errors.ts";
import type { Damage } from "../format/bytes.ts";
import { PARTIAL_SUFFIX } from "../format/segment-names.ts";
import { everySegment, isDeleted } from "../read/every-segment.ts";
import { noCounts, type VerifyCounts, type VerifyOptions, verifySegment } from "./verify-segments.ts";

/** `proofs`: unless given, those that are there are checked. */
export type VerifyAllOptions = Omit<VerifyOptions, "proofs"> & { proofs?: boolean | undefined };

const UNREADABLE = new Set<string>(["NOT_A_SEGMENT", "FILE_NOT_READABLE"]);

export async function* verifyEverySegment(folder: string, options: VerifyAllOptions): AsyncGenerator<VerifyCounts> {
  for await (const { path } of everySegment(folder)) {
    const counts = await verifyMoving(path, options);
    if (counts !== null) yield counts;
  }
}

/** Null when it was deleted meanwhile: what is missing then is no damage, and its blocks are checked where they are now. */
async function verifyMoving(path: string, options: VerifyAllOptions): Promise<VerifyCounts | null> {
  const damage: Damage[] = [];
  const counts = await verifyNamed(path, { ...options, onDamage: (found) => damage.push(found) });
  if (isDeleted(path)) return null;
  const isRenamed = !existsSync(path) && counts.repos === 0;
  if (isRenamed) return verifyMoving(path.slice(0, -PARTIAL_SUFFIX.length), options);
  for (const found of damage) options.onDamage(found);
  return counts;
}

/** A file that is not a segment, or cannot be read, is a problem of the archive. */
async function verifyNamed(path: string, options: VerifyAllOptions): Promise<VerifyCounts> {
  try {
    const proofs = options.proofs ?? existsSync(path.replace(/\.rca(\.partial)?$/, ".rcx"));
    return await verifySegment(path, { ...options, proofs });
  } catch (error) {
    if (!(error instanceof TrawlError) || !UNREADABLE.has(error.code)) throw error;
    // A writer may have created the file without having written its header yet.
    const torn = path.endsWith(PARTIAL_SUFFIX) && error.code === "NOT_A_SEGMENT";
    const reason = error.cause instanceof Error ? error.cause.message : "this is not a segment";
    options.onDamage({ path, offset: 0, did: null, reason, torn });
    return { ...noCounts(path), torn, problems: torn ? 0 : 1 };
  }
}
