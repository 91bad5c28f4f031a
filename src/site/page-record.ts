/** Builds the record of a visit: facts in columns, links packed with the ids of their targets. */
import type { Offer } from "../kernel/product.ts";
import type { Task } from "../kernel/task.ts";
import type { FetchError } from "../net/fetch-errors.ts";
import { headerValue, headerValues } from "../net/headers.ts";
import { isNoindex } from "../web/robots-directives.ts";
import { indexabilityOf } from "./indexability.ts";
import { kindNumber, NOFOLLOW, ON_NOINDEX, viaNumber } from "./link-kinds.ts";
import { offerRedirect, settleLinks } from "./site-links.ts";
import { BODY_COLUMNS, type PageRow, type RenderedRow, type SiteRecord } from "./site-record.ts";
import type { Visit } from "./site-visit.ts";
import { NO_TEXTS, type TextDictionary } from "./text-dictionary.ts";

export interface RecordContext {
  texts: TextDictionary;
  isBlocked: (url: string) => boolean;
  storeHeaders: boolean;
  /** The page as it is stored; null when it is not. */
  html: Uint8Array | null;
  now: number;
}

const EMPTY_ROW: PageRow = {
  fetched_at: 0,
  status: null,
  error: null,
  error_detail: null,
  content_type: null,
  charset: null,
  charset_source: null,
  http_version: null,
  remote_address: null,
  size_wire: null,
  size: null,
  truncated: null,
  from_cache: 0,
  etag: null,
  last_modified: null,
  redirect_to: null,
  indexable: "No",
  indexability: "no_response",
  robots_meta: null,
  robots_header: null,
  canonical: null,
  language: null,
  title: null,
  title_count: null,
  description: null,
  h1: null,
  h1_count: null,
  h2: null,
  h2_count: null,
  word_count: null,
  text_length: null,
  content_hash: null,
  link_count: null,
  links_truncated: null,
  time_dns: null,
  time_connect: null,
  time_tls: null,
  time_first_byte: null,
  time_download: null,
  time_total: null,
  time_render: null,
  attempts: 1,
  headers: null,
};

export function failedRecord(task: Task, error: FetchError, now: number): SiteRecord {
  const page = {
    ...EMPTY_ROW,
    fetched_at: now,
    error: error.code,
    error_detail: error.detail,
    attempts: task.attempt + 1,
  };
  return { page, rendered: null, links: new Int32Array(0), texts: NO_TEXTS, html: null };
}

/** Offers what the visit found, and returns its record. */
export function visitRecord(task: Task, visit: Visit, context: RecordContext, offer: Offer): SiteRecord {
  const { texts } = context;
  const redirectTo = visit.redirect === null ? null : offerRedirect(visit.redirect, task, offer);
  const noindex = isNoindex(visit.directives, context.now) || isNoindex(visit.headerDirectives, context.now);
  const nofollow = visit.directives.nofollow || visit.headerDirectives.nofollow;
  const links = settleLinks(visit.links, { task, nofollow, noindex }, offer, texts);
  const flags = (nofollow ? NOFOLLOW : 0) | (noindex ? ON_NOINDEX : 0);
  const canonical = visit.canonical === null ? null : offerCanonical(visit.canonical, task, flags, offer);
  const page = { ...responseRow(task, visit, context), redirect_to: redirectTo, canonical };
  return { page, rendered: renderedRow(visit), links, texts: texts.takeFresh(), html: context.html };
}

/** The canonical link is among the page's links already, so this gives its id. It weighs no more than that link. */
const offerCanonical = (url: string, task: Task, flags: number, offer: Offer): number =>
  offer({
    key: url,
    depth: task.depth + 1,
    parent: task.id,
    via: viaNumber("spider", flags),
    kind: kindNumber("canonical"),
    hops: 0,
  });

function responseRow(task: Task, visit: Visit, context: RecordContext): PageRow {
  const { response, content } = visit;
  const { timings } = response;
  const header = headerValues(response.headers, "x-robots-tag");
  return {
    ...EMPTY_ROW,
    fetched_at: context.now,
    status: response.status,
    error_detail: visit.renderError,
    content_type: visit.contentType,
    charset: visit.charset?.charset ?? null,
    charset_source: visit.charset?.source ?? null,
    http_version: response.httpVersion,
    remote_address: response.remoteAddress,
    size_wire: response.wireBytes,
    size: response.decodedBytes,
    truncated: response.truncated,
    from_cache: response.fromCache ? 1 : 0,
    etag: headerValue(response.headers, "etag") ?? visit.earlier?.row.etag ?? null,
    last_modified: headerValue(response.headers, "last-modified") ?? visit.earlier?.row.last_modified ?? null,
    ...indexabilityOf({
      status: response.status,
      isHtml: content !== null || visit.earlier?.row.title_count != null,
      noindexMeta: isNoindex(visit.directives, context.now),
      noindexHeader: isNoindex(visit.headerDirectives, context.now),
      canonicalElsewhere: visit.canonical !== null && visit.canonical !== task.key,
      blockedByRobots: context.isBlocked(task.key),
    }),
    robots_meta: content === null || content.metaRobots.length === 0 ? null : content.metaRobots.join(", "),
    // A line each, to be read again when the server says 304: what is for one agent ends with its line.
    robots_header: header.length === 0 ? (visit.earlier?.row.robots_header ?? null) : header.join(",\n"),
    link_count: content === null && visit.links.targets.length === 0 ? null : visit.links.targets.length,
    links_truncated: visit.linksTruncated === null ? null : Number(visit.linksTruncated),
    ...(content === null ? earlierColumns(visit) : contentColumns(content)),
    time_dns: timings.dns,
    time_connect: timings.connect,
    time_tls: timings.tls,
    time_first_byte: timings.firstByte,
    time_download: timings.download,
    time_total: timings.total,
    time_render: visit.rendered?.result.timings.total ?? null,
    attempts: task.attempt + 1,
    headers: context.storeHeaders ? JSON.stringify(response.headers) : null,
  };
}

/** What the earlier crawl read still holds when the server says that nothing changed. */
function earlierColumns(visit: Visit): Partial<PageRow> | null {
  if (visit.earlier === null) return null;
  const { row } = visit.earlier;
  return Object.fromEntries(BODY_COLUMNS.map((column) => [column, row[column]]));
}

function contentColumns(content: NonNullable<Visit["content"]>): Partial<PageRow> {
  return {
    language: content.language,
    title: content.title,
    title_count: content.titleCount,
    description: content.metaDescription,
    h1: content.h1,
    h1_count: content.h1Count,
    h2: content.h2,
    h2_count: content.h2Count,
    word_count: content.wordCount,
    text_length: content.textLength,
    content_hash: content.contentHash,
  };
}

function renderedRow(visit: Visit): RenderedRow | null {
  if (visit.rendered === null) return null;
  const { result, content } = visit.rendered;
  return {
    title: content.title,
    description: content.metaDescription,
    h1: content.h1,
    h1_count: content.h1Count,
    h2_count: content.h2Count,
    word_count: content.wordCount,
    content_hash: content.contentHash,
    robots_meta: content.metaRobots.length === 0 ? null : content.metaRobots.join(", "),
    canonical: content.canonical,
    link_count: content.links.length,
    final_url: result.finalUrl,
    redirected_to: result.redirectedTo,
    settled: result.settled ? 1 : 0,
    requests: result.requests.length,
    requests_failed: result.requests.filter((request) => request.failed !== null && !request.blocked).length,
    requests_blocked: result.requests.filter((request) => request.blocked).length,
    console_errors: JSON.stringify(result.consoleErrors),
    time_navigate: result.timings.navigate,
    time_settle: result.timings.settle,
  };
}
