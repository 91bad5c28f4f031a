/**
 * The metadata line of a fetch, and the metadata as the ledger's record log. Everything else that belongs to a page is
 * durable before its line is written.
 */

import { existsSync } from "node:fs";
import type { Task } from "../kernel/task.ts";
import type { FetchError } from "../net/fetch-errors.ts";
import { headerValue } from "../net/headers.ts";
import type { Visit } from "./archive-visit.ts";
import { readCommitted } from "./ledger/committed-lines.ts";
import { damaged, type LedgerPaths, refuseDamage } from "./ledger/ledger-files.ts";
import { committedRecords, type RecordLog } from "./ledger/record-log.ts";
import { hasLinesOf, type MetadataLog } from "./store/metadata.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";
import type { Committed } from "./store/metadata-sums.ts";

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

/** Why a page is not stored although its host sent it. */
export const cutText = ({ response: { url, truncated } }: Visit, maxMegabytes: number): string =>
  truncated === "encoding"
    ? `${url} is not stored: its compressed body ends too early.`
    : `${url} is not stored: it is larger than limits.max_page_mb (${maxMegabytes} MB).`;

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
  own: LedgerPaths;
  /** The other ledger that writes to the file. */
  other: LedgerPaths;
}

/** Lines that have sums were committed. If neither ledger has commits, the one that committed them is gone. */
export const LOST_QUEUE = "is missing, although the metadata has lines";

/** Only one process writes to the metadata at a time, so everything up to the last commit of either ledger counts. */
export const metadataRecords = ({
  metadata,
  before,
  isOwn,
  own,
  other,
}: SharedMetadata): RecordLog<MetadataRecord> => ({
  get mark() {
    return metadata.mark;
  },
  async append(records) {
    await before();
    return metadata.append(records);
  },
  async recover(committed) {
    const ledgers: Committed[] = [{ ...committed, isEndLost: false, isOwn }];
    const commits = await readCommitted(other, refuseDamage, () => {});
    // A ledger that never existed has left no unfinished lines. If it has lines nevertheless, it was deleted.
    const isClosed = commits.isClosed || !Object.values(other).some((path) => existsSync(path));
    ledgers.push({ ...committedRecords(commits), isClosed, isEndLost: false, isOwn: (record) => !isOwn(record) });
    if (metadata.hasSums && (await isLost(ledgers, metadata.path))) throw damaged(own.commits, 1, LOST_QUEUE);
    await metadata.recover(ledgers);
  },
});

/**
 * Whether commits are gone although their lines are there. `scrape` does not need its queue for this: it finds what it
 * has fetched in the store.
 */
async function isLost([own, other]: readonly Committed[], path: string): Promise<boolean> {
  if (own!.mark !== null) return false;
  return other!.mark === null || hasLinesOf(path, 0, (record) => own!.isOwn(record) && !isFromSpool(record));
}

/** For runs that only read pages for links and record nothing. */
export const noRecords = (before: () => Promise<void>): RecordLog<MetadataRecord> => ({
  mark: { bytes: 0, sum: 0 },
  async append() {
    await before();
    return this.mark;
  },
  async recover() {},
});
