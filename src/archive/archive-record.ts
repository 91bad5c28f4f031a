/**
 * The metadata line of a fetch, and the metadata as the ledger's record log. Everything else that belongs to a page is
 * durable before its line.
 */

import type { Task } from "../kernel/task.ts";
import type { FetchError } from "../net/fetch-errors.ts";
import { headerValue } from "../net/headers.ts";
import { readLines } from "../storage/read-lines.ts";
import type { Visit } from "./archive-visit.ts";
import type { RecordLog } from "./ledger/file-ledger.ts";
import type { MetadataLog } from "./store/metadata.ts";
import { isDamage, type MetadataRecord, parseRecord } from "./store/metadata-record.ts";

export interface RecordContext {
  task: Task;
  pageType: string;
  referrer: string | null;
  /** Wall time in ms. */
  now: number;
  /** Added to the line's `metadata`. */
  extra: MetadataRecord["metadata"];
}

export function visitRecord(visit: Visit, context: RecordContext): MetadataRecord {
  const { response, earlier, kind } = visit;
  const { headers } = response;
  return {
    ...emptyRecord(context),
    http_status: response.status,
    // A 304 need not repeat what was said about the page (RFC 9110 section 15.4.5).
    content_type: visit.contentType || (earlier?.content_type ?? ""),
    encoding: visit.charset || (earlier?.encoding ?? ""),
    content_sha256: visit.stored?.sha256 ?? "",
    content_bytes: kind === "page" ? response.body.length : 0,
    stored_path: visit.stored?.path ?? "",
    etag: headerValue(headers, "etag") ?? earlier?.etag ?? "",
    last_modified: headerValue(headers, "last-modified") ?? earlier?.last_modified ?? "",
    fetch_latency_ms: Math.round(response.timings.total * 1000) / 1000,
    proxy_id: visit.proxyId,
    metadata: { ...context.extra, ...detailOf(visit) },
  };
}

/** There was no answer: status 0, and the name of the error. */
export const failureRecord = (error: FetchError, context: RecordContext): MetadataRecord => ({
  ...emptyRecord(context),
  metadata: { ...context.extra, error: error.code },
});

function detailOf({ kind, response, links }: Visit): MetadataRecord["metadata"] {
  if (kind === "redirect") return { redirect_to: links[0] ?? response.location };
  if (kind === "not_html") return { skipped: "not_html" };
  return kind === "cut" ? { error: `truncated_${response.truncated}` } : {};
}

const emptyRecord = ({ task, pageType, referrer, now }: RecordContext): MetadataRecord => ({
  url: task.key,
  timestamp: Math.floor(now / 1000),
  depth: task.depth,
  page_type: pageType,
  referrer,
  http_status: 0,
  content_type: "",
  encoding: "",
  content_sha256: "",
  content_bytes: 0,
  stored_path: "",
  etag: "",
  last_modified: "",
  fetch_latency_ms: 0,
  retries: task.attempt,
  proxy_id: null,
  metadata: {},
});

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
