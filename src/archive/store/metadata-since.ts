/** Reads the metadata from where it was last read, to update in pieces what is derived from it. */
import { readLines } from "../../storage/read-lines.ts";
import { isDamage, type MetadataRecord, parseRecord } from "./metadata-record.ts";

/** The last line that was read: where it begins, and its URL. */
export interface MetadataMark {
  offset: number;
  url: string;
}

export interface MarkedRecord {
  record: MetadataRecord;
  mark: MetadataMark;
}

/**
 * The records after the mark, or all of them. Damaged lines are skipped, and reading ends at a line that is still being
 * written.
 */
export async function* metadataSince(path: string, mark: MetadataMark | null): AsyncGenerator<MarkedRecord> {
  for await (const { bytes, flaw, offset } of readLines(path, { from: mark?.offset ?? 0 })) {
    if (flaw === "torn") return;
    const record = flaw === null ? parseRecord(bytes) : { damage: flaw };
    if (isDamage(record) || offset === mark?.offset) continue;
    yield { record, mark: { offset, url: record.url } };
  }
}

/** False when a repair has moved lines: then everything must be read again. */
export async function isStillThere(path: string, { offset, url }: MetadataMark): Promise<boolean> {
  for await (const { bytes, flaw } of readLines(path, { from: offset })) {
    const record = flaw === null ? parseRecord(bytes) : { damage: flaw };
    return !isDamage(record) && record.url === url;
  }
  return false;
}
