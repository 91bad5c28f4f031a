/** `cat`: the bytes of a stored page, by its URL (the last fetch that stored one) or by its SHA-256. */
import { TrawlError } from "../../errors.ts";
import { readLines } from "../../storage/read-lines.ts";
import { type BlobStore, isSha256 } from "./blob-store.ts";
import { isDamage, type MetadataRecord, parseRecord, urlOfLine } from "./metadata-record.ts";

export interface StoredPage {
  sha256: string;
  bytes: Buffer;
  /** Null when it was asked for by its SHA-256. */
  record: MetadataRecord | null;
}

/** `url` in the form the archive stores. */
export async function catPage(urlOrSha256: string, blobs: BlobStore, metadataPath: string): Promise<StoredPage> {
  const asked = urlOrSha256.toLowerCase();
  const record = isSha256(asked) ? null : await lastStored(urlOrSha256, metadataPath);
  const sha256 = record?.content_sha256 ?? asked;
  const bytes = await blobs.read(sha256);
  if (bytes !== null) return { sha256, bytes, record };
  if (record === null) throw new TrawlError("PAGE_NOT_IN_ARCHIVE", `The archive has no page ${urlOrSha256}.`);
  throw new TrawlError("ARCHIVE_DAMAGED", `The page ${sha256} of ${record.url} is not in the store.`);
}

/** Reads through the file: an index does not pay for a single lookup. */
async function lastStored(url: string, metadataPath: string): Promise<MetadataRecord | null> {
  let last: MetadataRecord | null = null;
  for await (const { bytes, flaw } of readLines(metadataPath)) {
    if (flaw !== null || urlOfLine(bytes) !== url) continue;
    const parsed = parseRecord(bytes);
    if (!isDamage(parsed) && parsed.content_sha256 !== "") last = parsed;
  }
  return last;
}
