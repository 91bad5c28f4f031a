/** The metadata as the ledger's record log. What else belongs to a page is durable before its line. */

import { readLines } from "../storage/read-lines.ts";
import type { RecordLog } from "./ledger/file-store.ts";
import type { MetadataLog } from "./store/metadata.ts";
import { isDamage, type MetadataRecord, parseRecord } from "./store/metadata-record.ts";

/** In the `metadata` of lines that `scrape` wrote. Two ledgers share the file, and each settles its own lines. */
export const FROM_SPOOL = { source: "spool" } as const;

export const isFromSpool = ({ metadata }: MetadataRecord): boolean => metadata["source"] === FROM_SPOOL.source;

export interface SharedMetadata {
  metadata: MetadataLog;
  /** Makes durable what must precede a line: discoveries of the same page. */
  before: () => Promise<void>;
  /** Whether this ledger wrote the line. */
  isOwn: (record: MetadataRecord) => boolean;
  /** Whether another ledger writes to the file too. */
  isShared: boolean;
}

export const metadataRecords = ({ metadata, before, isOwn, isShared }: SharedMetadata): RecordLog<MetadataRecord> => ({
  get length() {
    return metadata.length;
  },
  async append(records) {
    await before();
    return metadata.append(records);
  },
  async truncateTo(length) {
    if (!isShared) return metadata.truncateTo(length);
    // Shorter than we left it: the other ledger dropped lines of its own that were between ours.
    if (length >= metadata.length) return;
    const { own, foreign } = await linesBehind(metadata, length, isOwn);
    // Only lines that this ledger wrote and never settled are dropped: their pages will be fetched again.
    if (own === 0) return;
    await metadata.replaceBehind(length, foreign);
  },
});

/** For runs that only read pages for links: nothing is recorded. */
export const noRecords = (before: () => Promise<void>): RecordLog<MetadataRecord> => ({
  length: 0,
  async append() {
    await before();
    return 0;
  },
  async truncateTo() {},
});

async function linesBehind(
  metadata: MetadataLog,
  length: number,
  isOwn: (record: MetadataRecord) => boolean,
): Promise<{ own: number; foreign: MetadataRecord[] }> {
  const foreign: MetadataRecord[] = [];
  let own = 0;
  for await (const { bytes } of readLines(metadata.path, { from: length })) {
    const record = parseRecord(bytes);
    if (isDamage(record) || isOwn(record)) own++;
    else foreign.push(record);
  }
  return { own, foreign };
}
