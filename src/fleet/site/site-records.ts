/**
 * A site's record as bytes of the records table: everything about one page, and the URLs that its negative ids stand
 * for.
 */
import { deserialize, serialize } from "node:v8";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { SiteMeta } from "../../site/links/link-kinds.ts";
import type { SiteRecord } from "../../site/site-record.ts";
import type { EncodedRecord } from "../part-batch.ts";
import type { SharedRecord } from "../shared-product.ts";

export interface StoredSiteRecord {
  record: SiteRecord;
  /** The URLs of other partitions: the id -n in the record is the n-th of them. */
  foreign: string[];
}

export function encodeSiteRecord({ record, foreign }: SharedRecord<SiteRecord, SiteMeta>): EncodedRecord<SiteMeta> {
  if (record === null) return { bytes: null, foreign };
  const stored: StoredSiteRecord = { record, foreign: foreign.map(({ key }) => key) };
  const bytes = serialize(stored);
  // The largest it can get; otherwise 128 KB would be reserved for it.
  return { bytes: zstdCompressSync(bytes, { chunkSize: Math.max(64, bytes.length) }), foreign };
}

export const decodeSiteRecord = (bytes: Uint8Array): StoredSiteRecord =>
  deserialize(zstdDecompressSync(bytes)) as StoredSiteRecord;
