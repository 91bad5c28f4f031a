/** The segments that a command is about: those that were named, or all of the archive. */
import type { SegmentName } from "../../../../app/atproto/segments.ts";
import { TrawlError } from "../../../../errors.ts";

/** Damaged files that a repair put aside are left out. */
export async function namedSegments(named: string[], folder: string): Promise<Pick<SegmentName, "path" | "kind">[]> {
  if (named.length > 0) {
    return named.map((path) => ({ path, kind: /\.rcx(?:\.partial)?$/.test(path) ? "rcx" : "rca" }));
  }
  const { segmentNames } = await import("../../../../app/atproto/segments.ts");
  const found = (await segmentNames(folder)).filter(({ state }) => state !== "damaged");
  if (found.length === 0) throw new TrawlError("NO_SEGMENTS", `${folder} has no .rca segments.`);
  return found;
}
