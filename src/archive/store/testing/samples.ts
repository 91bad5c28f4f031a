/** Sample records and stores for the tests of this folder. */
import { join } from "node:path";
import { BlobStore, type BlobStoreOptions } from "../blob-store.ts";
import type { MetadataRecord } from "../metadata-record.ts";

export const sampleRecord = (changes: Partial<MetadataRecord> = {}): MetadataRecord => ({
  url: "https://github.com/owner/repo",
  timestamp: 1_234_567_890,
  depth: 2,
  page_type: "repo_root",
  referrer: "https://github.com/topics",
  http_status: 200,
  content_type: "text/html; charset=utf-8",
  encoding: "utf-8",
  content_sha256: "ab".repeat(32),
  content_bytes: 54_321,
  stored_path: `workspace/store/html/ab/ab/${"ab".repeat(32)}.html`,
  etag: 'W/"1"',
  last_modified: "Sun, 12 Jan 2025 10:00:00 GMT",
  fetch_latency_ms: 234.5,
  retries: 0,
  proxy_id: null,
  metadata: {},
  ...changes,
});

export const sampleStore = (folder: string, options: Partial<BlobStoreOptions> = {}): BlobStore =>
  new BlobStore({
    root: join(folder, "store/html"),
    recordedRoot: "workspace/store/html",
    compress: false,
    permissions: 0o644,
    ...options,
  });

/** The records of pages whose bytes are put into the store. */
export async function storePages(blobs: BlobStore, pages: Record<string, string>): Promise<MetadataRecord[]> {
  const records: MetadataRecord[] = [];
  for (const [url, html] of Object.entries(pages)) {
    const { sha256, path } = await blobs.put(Buffer.from(html));
    records.push(sampleRecord({ url, content_sha256: sha256, stored_path: path, content_bytes: html.length }));
  }
  return records;
}
