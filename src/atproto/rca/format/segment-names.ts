/** The files of segments in a folder: `segment_0001.rca`, with `.partial` appended while it is written, `.rcx` next to it, and the lock of the writer. */

import { existsSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { missingAsNull } from "../../../storage/durable.ts";
import { type FileLock, lockFile } from "../../../storage/file-lock.ts";
import type { SegmentKind } from "./frame.ts";

export const PARTIAL_SUFFIX = ".partial";

const NAME = /^segment_(\d{4,})\.(rca|rcx)(\.partial|\.damaged(?:-\d+)?)?$/;

export interface SegmentName {
  number: number;
  kind: SegmentKind;
  path: string;
  state: "final" | "partial" | "damaged";
}

export const segmentPath = (folder: string, number: number, kind: SegmentKind): string =>
  join(folder, `segment_${String(number).padStart(4, "0")}.${kind}`);

/** All files of segments by number, finished before partial; none when the folder does not exist. */
export async function segmentNames(folder: string): Promise<SegmentName[]> {
  const found: SegmentName[] = [];
  for (const name of (await readdir(folder).catch(missingAsNull(folder))) ?? []) {
    const match = NAME.exec(name);
    if (match === null) continue;
    const suffix = match[3];
    found.push({
      number: Number(match[1]),
      kind: match[2] as SegmentKind,
      path: join(folder, name),
      state: suffix === undefined ? "final" : suffix === PARTIAL_SUFFIX ? "partial" : "damaged",
    });
  }
  // By number: the name's own order would put segment_10000 before segment_2000.
  return found.sort((a, b) => a.number - b.number || (a.path < b.path ? -1 : 1));
}

/** The segments that readers read, in order. */
export const readableSegments = async (folder: string, kind: SegmentKind = "rca"): Promise<SegmentName[]> =>
  (await segmentNames(folder)).filter((name) => name.kind === kind && name.state !== "damaged");

const SUFFIXES = /\.(?:rca|rcx)(?:\.partial)?$/;

/**
 * Distinguishes a segment that is being written from one left by a crash: its writer holds a lock next to it, which the system
 * releases when the process ends. `path` is any file of the segment. Null when another process holds the lock.
 */
export function lockSegment(path: string): FileLock | null {
  const lockPath = `${path.replace(SUFFIXES, "")}.lock`;
  const lock = lockFile(lockPath, 0);
  if (lock === null) return null;
  if (!existsSync(lockPath)) {
    // The previous owner removed the file after we opened it: this lock would protect nothing.
    lock.release();
    return null;
  }
  return {
    release: () => {
      // Removed while it is held, so that no process locks a file that is about to be removed. Windows cannot remove an open file.
      if (process.platform !== "win32") rmSync(lockPath, { force: true });
      lock.release();
      if (process.platform === "win32") rmSync(lockPath, { force: true });
    },
  };
}
