/**
 * The fetches of an archive, newest first. Reads the metadata from its end, so the first ones cost the same in any
 * archive.
 */
import { type FileHandle, open } from "node:fs/promises";
import { missingAsNull } from "../../storage/durable.ts";
import { MAX_LINE_BYTES } from "../../storage/read-lines.ts";
import { isDamage, type MetadataRecord, parseRecord } from "./metadata-record.ts";

const NEWLINE = 10;
const CHUNK_BYTES = 1 << 17;

export interface PlacedRecord {
  record: MetadataRecord;
  /** Where its line begins; the earlier fetches end there. */
  offset: number;
}

/**
 * `before`: only lines that end at or before this byte. Damaged lines, and a line that is being written, are left out.
 */
export async function* newestRecords(
  path: string,
  before: number | null = null,
  chunk = CHUNK_BYTES,
): AsyncGenerator<PlacedRecord> {
  const handle = await open(path, "r").catch(missingAsNull(path));
  if (handle === null) return;
  try {
    const { size } = await handle.stat();
    for await (const { bytes, offset } of linesBackwards(handle, Math.min(before ?? size, size), chunk)) {
      const record = parseRecord(bytes);
      if (!isDamage(record)) yield { record, offset };
    }
  } finally {
    await handle.close();
  }
}

/** Lines that end with a newline, the last first. */
async function* linesBackwards(
  handle: FileHandle,
  end: number,
  chunk: number,
): AsyncGenerator<{ bytes: Buffer; offset: number }> {
  // What was read and not yet returned: it begins at `start`, and ends where the last returned line begins.
  let start = end;
  let kept: Buffer = Buffer.alloc(0);
  let isWhole = false;
  while (start > 0) {
    const from = Math.max(0, start - chunk);
    const bytes = Buffer.alloc(start - from);
    await handle.read(bytes, 0, bytes.length, from);
    kept = Buffer.concat([bytes, kept]);
    start = from;
    for (;;) {
      // The newline that ends the line itself is skipped.
      const at = kept.lastIndexOf(NEWLINE, isWhole ? kept.length - 2 : kept.length - 1);
      if (at === -1 || (isWhole && kept.length < 2)) break;
      const line = kept.subarray(at + 1);
      if (isWhole) yield { bytes: line.subarray(0, -1), offset: start + at + 1 };
      kept = kept.subarray(0, at + 1);
      isWhole = true;
    }
    // A file that lost its newlines must not fill the memory.
    if (kept.length > MAX_LINE_BYTES) return;
  }
  if (isWhole && kept.length > 1) yield { bytes: kept.subarray(0, -1), offset: 0 };
}
