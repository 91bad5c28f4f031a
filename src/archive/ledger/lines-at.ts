/** Lines of a file whose places are known, in the order asked for; those that lie together are read together. */
import type { AppendFile } from "../../storage/append-file.ts";

const NEWLINE = 10;
/** Most lines are shorter: a longer one costs a second read. */
const LINE_BYTES = 4_096;
/** Lines further apart than this are not worth what lies between them. */
const GAP_BYTES = 16_384;
const MOST_BYTES = 1 << 18;

export async function linesAt(file: AppendFile, offsets: readonly number[]): Promise<Buffer[]> {
  const order = offsets.map((_, index) => index).sort((a, b) => offsets[a]! - offsets[b]!);
  const found = new Array<Buffer>(offsets.length);
  let window: Buffer = Buffer.alloc(0);
  let start = 0;
  for (const [rank, index] of order.entries()) {
    const offset = offsets[index]!;
    let end = offset < start + window.length ? window.indexOf(NEWLINE, offset - start) : -1;
    if (end < 0) {
      start = offset;
      for (let size = spanFrom(offsets, order, rank); end < 0; size *= 2) {
        window = await file.read(offset, size);
        end = window.indexOf(NEWLINE);
        if (window.length < size && end < 0) end = window.length;
      }
    }
    found[index] = window.subarray(offset - start, end);
  }
  return found;
}

/** How much to read so that the lines wanted next are in it as well. */
function spanFrom(offsets: readonly number[], order: readonly number[], rank: number): number {
  const start = offsets[order[rank]!]!;
  let last = start;
  for (let next = rank + 1; next < order.length; next++) {
    const offset = offsets[order[next]!]!;
    if (offset - last > GAP_BYTES || offset - start > MOST_BYTES) break;
    last = offset;
  }
  return last - start + LINE_BYTES;
}
