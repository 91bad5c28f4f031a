/** The segments of a folder while others work in it: what `compact` deletes before its turn is in segments that it has made. */
import { existsSync } from "node:fs";
import { PARTIAL_SUFFIX, readableSegments, type SegmentName } from "../format/segment-names.ts";

/** Each once. One may be deleted after it was yielded: see `isDeleted`. */
export async function* everySegment(folder: string): AsyncGenerator<SegmentName> {
  const seen = new Set<number>();
  for (let isOver = false; !isOver; ) {
    const names = await readableSegments(folder);
    for (const name of names) {
      if (seen.has(name.number)) continue;
      seen.add(name.number);
      if (!isDeleted(name.path)) yield name;
    }
    isOver = !names.some(({ path }) => isDeleted(path));
  }
}

/** Neither there nor finished meanwhile. */
export const isDeleted = (path: string): boolean =>
  !existsSync(path) && !(path.endsWith(PARTIAL_SUFFIX) && existsSync(path.slice(0, -PARTIAL_SUFFIX.length)));
