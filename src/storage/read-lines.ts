/**
 * Reads the lines of a file as bytes with their positions. It streams: memory grows neither with the file nor with a
 * line.
 */
import { type FileHandle, open } from "node:fs/promises";
import { missingAsNull } from "./durable.ts";

export interface Line {
  /** Counted from 1. */
  number: number;
  offset: number;
  /** Bytes in the file, without the newline. */
  length: number;
  /** The line without its newline; only the beginning of a line that is too long. */
  bytes: Buffer;
  /** `torn`: the file ends without a newline, as a crash leaves it. `long`: longer than any line we write. */
  flaw: "torn" | "long" | null;
}

export interface LineRange {
  from?: number;
  to?: number;
  /** Bytes to read at a time. A small number suits looking up a single line. */
  chunk?: number;
}

const NEWLINE = 10;
const CHUNK_BYTES = 1 << 18;

/** A metadata line has a few hundred bytes. A file that lost its newlines must not fill the memory. */
export const MAX_LINE_BYTES = 16 << 20;

/** Yields nothing when the file does not exist. */
export async function* readLines(path: string, range: LineRange = {}): AsyncGenerator<Line> {
  const handle = await open(path, "r").catch(missingAsNull(path));
  if (handle === null) return;
  try {
    yield* linesOf(handle, range.from ?? 0, range.to ?? Number.POSITIVE_INFINITY, range.chunk ?? CHUNK_BYTES);
  } finally {
    await handle.close();
  }
}

async function* linesOf(handle: FileHandle, from: number, to: number, size: number): AsyncGenerator<Line> {
  let number = 0;
  let offset = from;
  let length = 0;
  let parts: Buffer[] = [];
  let kept = 0;
  const finish = (torn: boolean): Line => {
    const flaw = torn ? "torn" : length > MAX_LINE_BYTES ? "long" : null;
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const line: Line = { number: ++number, offset, length, bytes, flaw };
    offset += length + 1;
    [length, parts, kept] = [0, [], 0];
    return line;
  };
  const keep = (part: Buffer): void => {
    length += part.length;
    const room = part.subarray(0, MAX_LINE_BYTES - kept);
    kept += room.length;
    if (room.length > 0) parts.push(room);
  };
  for (let position = from; position < to; ) {
    const chunk = Buffer.allocUnsafe(Math.min(size, to - position));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const read = chunk.subarray(0, bytesRead);
    let start = 0;
    for (let end = read.indexOf(NEWLINE); end !== -1; end = read.indexOf(NEWLINE, start)) {
      keep(read.subarray(start, end));
      yield finish(false);
      start = end + 1;
    }
    if (start < bytesRead) keep(read.subarray(start));
  }
  if (length > 0) yield finish(true);
}

/** Part of a file, in pieces. Ends early where the file does. */
export async function* readRange(file: FileHandle, offset: number, length: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < length; ) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, length - done));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset + done);
    if (bytesRead === 0) return;
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Where the last whole line of a file ends. Everything after it is a line that a crash cut short. */
export async function endOfWholeLines(
  read: (offset: number, length: number) => Promise<Buffer>,
  length: number,
): Promise<number> {
  for (let end = length; end > 0; ) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const newline = (await read(start, end - start)).lastIndexOf(NEWLINE);
    if (newline !== -1) return start + newline + 1;
    end = start;
  }
  return 0;
}
