/** Reads a file that a crash may have left with an unfinished end: good lines are given, the end can be cut off. */
import { basename } from "node:path";
import type { AppendFile } from "../../storage/append-file.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import { damaged } from "./damage.ts";

/**
 * Gives every good line, and returns where the last of them ends, and its number. What is not good behind that was being written when
 * the process died; before it, it is damage.
 */
export async function scan<T>(
  file: AppendFile,
  decode: (bytes: Buffer) => T | null,
  counts: (decoded: T) => boolean,
  take: (decoded: T, line: Line) => void | Promise<void>,
): Promise<{ end: number; last: number }> {
  let end = 0;
  let last = 0;
  let bad = 0;
  for await (const line of readLines(file.path)) {
    const decoded = line.flaw === null ? decode(line.bytes) : null;
    if (decoded === null || !counts(decoded)) {
      bad ||= line.number;
      continue;
    }
    if (bad !== 0) throw damaged(file.path, bad);
    const taken = take(decoded, line);
    if (taken !== undefined) await taken;
    end = line.offset + line.length + 1;
    last = line.number;
  }
  return { end, last };
}

/** The last lines may have been cut off by hand, which looks like a crash: but a commit is written after its lines. */
export function checkCount(file: AppendFile, last: number, found: number, written: number): void {
  if (found < written) throw damaged(file.path, last + 1, "is missing");
}

export async function cut(file: AppendFile, end: number, onNotice: (text: string) => void): Promise<void> {
  if (end >= file.length) return;
  onNotice(`${basename(file.path)}: ${file.length - end} bytes of an unfinished write were dropped from its end.`);
  await file.truncate(end);
}
