/** Builds the record of a visit: facts in columns, links packed with the ids of their targets. */
import type { Offer } from "../kernel/product.ts";
import type { Task } from "../kernel/task.ts";
import type { FetchError } from "../net/fetch-errors.ts";
import type { HttpResponse } from "../net/http-types.ts";
import { isNoindex, parseRobotsHeader, parseRobotsMeta } from "../web/robots-directives.ts";
import { cookieFacts } from "./facts/cookies.ts";
import { cappedPage, cappedRendered, headerFacts } from "./facts/fact-reading.ts";
import {
  BODY_COLUMNS,
  type BrowserFacts,
  type ExchangeFacts,
  type HeaderFacts,
  NO_PAGE,
  type PageRow,
  type RawFacts,
  type RenderedRow,
} from "./facts/fact-rows.ts";
import { type IndexabilityAnswer, indexabilityOf } from "./indexability.ts";
import { storedFragments } from "./links/fragment-links.ts";
import { NOFOLLOW, ON_NOINDEX, type SiteMeta, siteMeta } from "./links/link-kinds.ts";
import { offerLinks, offerRedirect } from "./links/site-links.ts";
import { hreflangInLinkHeader } from "./page/link-header.ts";
import type { SiteRecord } from "./site-record.ts";
import { NO_TEXTS, type TextDictionary } from "./text-dictionary.ts";
import { contentTypeOf } from "./visit/answer-kinds.ts";
import { inspectionFacts } from "./visit/page-checks.ts";
import type { Visit } from "./visit/site-visit.ts";

/** The agent whose directives decide about indexability. */
const GOOGLE = "googlebot";

export interface RecordContext {
  texts: TextDictionary;
  /** What in robots.txt keeps an agent from a URL. */
  ruleAgainst: (url: string, agent: string) => string | null;
  /** Whether its host is part of the site. */
  isInternal: (url: string) => boolean;
  storeHeaders: boolean;
  /** Where a noindex must stand to count for the links of the page. */
  noindexIn: { meta: boolean; header: boolean };
  /** Its text is the host's answer for pages that do not exist. */
  isSoft404: boolean;
  /** The page to store; null when it is not stored. */
  html: Uint8Array | null;
  now: number;
}

export function failedRecord(
  task: Task<SiteMeta>,
  { code, detail, answer }: FetchError,
  { now, storeHeaders }: Pick<RecordContext, "now" | "storeHeaders">,
): SiteRecord {
  const page = cappedPage({
    ...NO_PAGE,
    ...(answer === null
      ? { indexability: "no_response" }
      : { ...headerFacts(answer.headers), ...answerFacts(answer, storeHeaders), indexability: "undecodable" }),
    fetched_at: now,
    error: code,
    error_detail: detail,
    attempts: task.attempt + 1,
  });
  return { page, rendered: null, links: new Int32Array(0), texts: NO_TEXTS, html: null };
}

/** What is known about an answer without its body. */
function answerFacts(response: HttpResponse, storeHeaders: boolean) {
  const { timings, headers } = response;
  return {
    status: response.status,
    content_type: contentTypeOf(response),
    http_version: response.httpVersion,
    remote_address: response.remoteAddress,
    tls_version: response.tls?.version ?? null,
    certificate_until: response.tls?.validUntil ?? null,
    size_wire: response.wireBytes,
    time_dns: timings.dns,
    time_connect: timings.connect,
    time_tls: timings.tls,
    time_first_byte: timings.firstByte,
    time_download: timings.download,
    time_total: timings.total,
    cookies: cookieFacts(headers),
    headers: storeHeaders ? JSON.stringify(headers) : null,
  };
}

/** Offers what the visit found, and returns its record. */
export function visitRecord(
  task: Task<SiteMeta>,
  visit: Visit,
  context: RecordContext,
  offer: Offer<SiteMeta>,
): SiteRecord {
  const { texts } = context;
  const redirected = visit.redirect === null ? null : leadsTo(visit.redirect, task, context, offer);
  const { meta, header } = context.noindexIn;
  const noindex =
    (meta && isNoindex(visit.directives, context.now)) || (header && isNoindex(visit.headerDirectives, context.now));
  const nofollow = visit.directives.nofollow || visit.headerDirectives.nofollow;
  const links = offerLinks(visit.links, { task, nofollow, noindex }, offer, texts);
  // A refresh in the page is among its links, which have been offered already.
  const refreshed = visit.refresh === null || visit.refresh.target === task.key ? null : visit.refresh.target;
  const redirectTo = redirected ?? (refreshed === null ? null : leadsTo(refreshed, task, context, offer));
  const flags = (nofollow ? NOFOLLOW : 0) | (noindex ? ON_NOINDEX : 0);
  const canonical = visit.canonical === null ? null : offerCanonical(visit.canonical, task, flags, offer);
  const headers = earlierFacts(headerFacts(visit.response.headers), visit);
  const document = (visit.rendered?.content ?? visit.content)?.facts ?? earlierBody(visit);
  const said = { ...visit, headers, document, redirectsByScript: visit.redirect !== null };
  const page = cappedPage({
    ...NO_PAGE,
    ...headers,
    ...exchangeFacts(task, visit, context, { headers, redirectTo, canonical }),
    ...indexability(task, visit, said, context),
    ...document,
  });
  const rendered = renderedRow(task, visit, context, headers);
  return { page, rendered, links, texts: texts.takeFresh(), html: context.html };
}

const leadsTo = (url: string, task: Task<SiteMeta>, context: RecordContext, offer: Offer<SiteMeta>): number =>
  offerRedirect(url, context.isInternal(url), task, offer);

/** The canonical link is already among the page's links, so this returns its id. */
const offerCanonical = (url: string, task: Task<SiteMeta>, flags: number, offer: Offer<SiteMeta>): number =>
  offer({
    key: url,
    depth: task.depth + 1,
    parent: task.id,
    meta: siteMeta("spider", "canonical", flags),
    hops: 0,
  });

function exchangeFacts(
  task: Task<SiteMeta>,
  visit: Visit,
  context: RecordContext,
  { headers, redirectTo, canonical }: { headers: HeaderFacts; redirectTo: number | null; canonical: number | null },
): Omit<ExchangeFacts, keyof IndexabilityAnswer> {
  const { response, content } = visit;
  return {
    ...answerFacts(response, context.storeHeaders),
    fetched_at: context.now,
    status: statusOf(visit),
    not_modified: visit.earlier === null ? null : "Yes",
    error: visit.challenge === null ? null : "challenge",
    error_detail: visit.challenge,
    charset: visit.charset?.charset ?? null,
    charset_source: visit.charset?.source ?? null,
    size: response.decodedBytes,
    truncated: response.truncated,
    from_cache: response.fromCache ? 1 : 0,
    redirect_to: redirectTo,
    canonical,
    canonical_source: canonicalSource(visit),
    hreflang_header: hreflangInLinkHeader(headers.link_header ?? ""),
    sitemap_kind: visit.sitemap?.kind ?? null,
    sitemap_problems: visit.sitemap?.problems ?? null,
    llms_problems: visit.llmsProblems,
    link_count: content === null && visit.links.targets.length === 0 ? null : visit.links.targets.length,
    links_truncated: visit.linksTruncated === null ? null : Number(visit.linksTruncated),
    links_left_out: visit.linksLeftOut || null,
    ...otherLinks(visit.links.others),
    tracked_links: trackedLinks(visit),
    fragment_links: storedFragments(
      task.key,
      visit.links,
      (visit.rendered?.content ?? content)?.facts.bookmarks ?? null,
    ),
    time_render: visit.rendered?.result.timings.total ?? null,
    attempts: task.attempt + 1,
    soft_404: context.isSoft404 ? "Yes" : null,
    render_problem: visit.renderProblem,
    // Known when all its links have been offered.
    text_print: null,
    trap_signs: null,
  };
}

/** Where the canonical that counts stands; one in the page counts before one in a header. */
function canonicalSource({ canonical, content, rendered }: Visit): ExchangeFacts["canonical_source"] {
  if (canonical === null) return null;
  const named = (rendered?.content ?? content)?.canonical ?? null;
  if (named === null) return "header";
  return rendered !== null && named !== content?.canonical ? "rendered" : "head";
}

/** Each address once, with its count if there is more than one. */
function otherLinks(others: readonly string[]): Pick<ExchangeFacts, "links_other" | "links_other_list"> {
  if (others.length === 0) return { links_other: null, links_other_list: null };
  const counts = new Map<string, number>();
  for (const written of others) counts.set(written, (counts.get(written) ?? 0) + 1);
  const lines = [...counts].map(([written, count]) => (count === 1 ? written : `${written} (${count} times)`));
  return { links_other: others.length, links_other_list: lines.join("\n") };
}

/** Examples are enough, because repeated problems are mostly in the template. */
const MOST_TRACKED = 10;

function trackedLinks({ links }: Visit): string | null {
  const found = new Set<string>();
  for (const { tracked } of links.targets) {
    if (tracked !== undefined && found.size < MOST_TRACKED) found.add(tracked);
  }
  return found.size === 0 ? null : [...found].join("\n");
}

/**
 * "Not modified" says that the earlier answer still holds. Crawls of older versions stored 304 for it: those URLs were
 * pages.
 */
function statusOf({ response, earlier }: Visit): number {
  if (earlier === null) return response.status;
  const { status } = earlier.row;
  return status === null || status === 304 ? 200 : status;
}

/** What a page says to search engines, before or after its scripts ran. */
interface SaidToEngines extends Pick<Visit, "directives" | "canonical" | "refresh"> {
  headers: HeaderFacts;
  document: Partial<PageRow> | null;
  redirectsByScript: boolean;
}

const indexability = (
  task: Task<SiteMeta>,
  visit: Visit,
  said: SaidToEngines,
  context: RecordContext,
): IndexabilityAnswer =>
  indexabilityOf({
    status: visit.response.status,
    isUndecodable: false,
    readBytes: visit.response.truncated === null ? null : visit.response.decodedBytes,
    isChallenge: visit.challenge !== null,
    isHtml: visit.content !== null || visit.earlier?.row.title_count != null,
    noindexMeta: noindexMeta(said, context.now),
    noindexHeader: noindexHeader(visit, said.headers, context.now),
    refreshElsewhere:
      said.refresh === null || said.refresh.target === task.key
        ? null
        : `${said.refresh.where}: ${said.refresh.content}`,
    canonicalElsewhere:
      said.canonical === null || said.canonical === task.key ? null : canonicalEvidence(said.canonical, said.document),
    forbiddenBy: context.ruleAgainst(task.key, GOOGLE),
    redirectsByScript: said.redirectsByScript,
    soft404: context.isSoft404 || visit.earlier?.row.soft_404 === "Yes",
  });

/** Google obeys directives for everyone and those for itself; the stricter one applies. */
function noindexMeta({ directives, document }: SaidToEngines, now: number): string | null {
  if (isNoindex(directives, now)) return `meta robots: ${document?.robots_meta ?? ""}`;
  const content = document?.googlebot_meta ?? null;
  if (content === null) return null;
  return isNoindex(parseRobotsMeta([{ name: GOOGLE, content }], GOOGLE), now) ? `meta ${GOOGLE}: ${content}` : null;
}

function noindexHeader({ headerDirectives }: Visit, { robots_header: said }: HeaderFacts, now: number): string | null {
  if (said === null) return null;
  const isSaid = isNoindex(headerDirectives, now) || isNoindex(parseRobotsHeader(said, GOOGLE), now);
  return isSaid ? `X-Robots-Tag: ${said}` : null;
}

/** A canonical in the page counts before one in a header. */
function canonicalEvidence(canonical: string, document: Partial<PageRow> | null): string {
  const written = document?.canonical_written ?? null;
  return written === null ? `Link: <${canonical}>; rel="canonical"` : `link canonical: ${written}`;
}

/** A 304 need not repeat the headers of the page (RFC 9110 section 15.4.5): those of the earlier crawl are still valid. */
function earlierFacts(facts: HeaderFacts, { earlier }: Visit): HeaderFacts {
  if (earlier === null) return facts;
  for (const name of Object.keys(facts) as (keyof HeaderFacts)[]) facts[name] ??= earlier.row[name];
  return facts;
}

/** The facts of the earlier crawl are still valid when the server answers that nothing changed. */
function earlierBody({ earlier }: Visit): Partial<PageRow> | null {
  return earlier === null ? null : Object.fromEntries(BODY_COLUMNS.map((column) => [column, earlier.row[column]]));
}

function renderedRow(
  task: Task<SiteMeta>,
  visit: Visit,
  context: RecordContext,
  headers: HeaderFacts,
): RenderedRow | null {
  if (visit.rendered === null) return null;
  const { result, content, raw } = visit.rendered;
  const browser: BrowserFacts = {
    final_url: result.finalUrl,
    redirected_to: result.redirectedTo,
    settled: result.settled ? 1 : 0,
    requests: result.requests.length,
    requests_failed: result.requests.filter((request) => request.failed !== null && !request.blocked).length,
    requests_blocked: result.requests.filter((request) => request.blocked).length,
    console_errors: JSON.stringify(result.consoleErrors),
    time_navigate: result.timings.navigate,
    time_settle: result.timings.settle,
    ...inspectionFacts(result.inspections),
  };
  const sent = visit.content!;
  const asSent = { ...raw, headers, document: sent.facts, redirectsByScript: false };
  const before = indexability(task, visit, asSent, context);
  const rawFacts: RawFacts = {
    raw_title: sent.facts.title,
    raw_description: sent.facts.description,
    raw_h1: sent.facts.h1,
    raw_word_count: sent.facts.word_count,
    raw_content_hash: sent.facts.content_hash,
    raw_canonical: raw.canonical,
    raw_robots_meta: sent.facts.robots_meta,
    raw_structured_data: sent.facts.structured_data,
    raw_links_out: sent.links.length,
    raw_indexable: before.indexable,
    raw_indexability: before.indexability,
    raw_indexability_evidence: before.indexability_evidence,
  };
  const links = { canonical: content.canonical, link_count: content.links.length };
  return cappedRendered({ ...content.facts, ...browser, ...rawFacts, ...links });
}
