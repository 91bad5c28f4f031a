/** The metadata line of a fetch. */
import type { Task } from "../kernel/task.ts";
import type { FetchError } from "../net/fetch-errors.ts";
import { headerValue } from "../net/headers.ts";
import type { Visit } from "./archive-visit.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";

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
