/** The files of an archive for those who copy it: finished segments, their proofs, and recorded events, whole or a range of bytes. */
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { isMissing } from "../../storage/durable.ts";
import { eventSegments } from "../follow/event-segments.ts";
import { segmentNames } from "../rca/format/segment-names.ts";

export interface SegmentFile {
  name: string;
  path: string;
  size: number;
  /** Changes when the file does. */
  etag: string;
}

/** Segments that are being written are left out: their names will change. Events are appended to, so theirs are there. */
export async function segmentFiles(folder: string): Promise<SegmentFile[]> {
  const segments = (await segmentNames(folder)).filter(({ state }) => state === "final");
  const files: SegmentFile[] = [];
  for (const { path } of [...segments, ...(await eventSegments(folder))]) {
    try {
      const { size, mtimeMs, ino } = await stat(path);
      files.push({ name: basename(path), path, size, etag: `"${ino}-${size}-${Math.trunc(mtimeMs)}"` });
    } catch (error) {
      // `compact` has just removed it.
      if (!isMissing(error)) throw error;
    }
  }
  return files;
}

/** The first byte and the one after the last. */
export interface ByteRange {
  start: number;
  end: number;
}

/** RFC 9110, 14.2: null for the whole file, also when several ranges or other units are asked for. */
export function askedRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (match === null || (match[1] === "" && match[2] === "")) return null;
  const [first, last] = [match[1]!, match[2]!];
  if (first === "") {
    const start = Math.max(0, size - Number(last));
    return start < size ? { start, end: size } : "unsatisfiable";
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return null;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(size, Number(last) + 1) };
}
