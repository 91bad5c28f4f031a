/** What the store knows about a crawl, in the shapes of the operations' answers. */
import { TrawlError } from "../../errors.ts";
import { END_CAUSES } from "../../site/crawl-end.ts";
import { FIELDS, type Field, fieldNamed } from "../../site/facts/fact-fields.ts";
import { fieldName, truthOf } from "../../site/facts/field-names.ts";
import { fetchErrorMeaning, REASONS, reasonMeaning, reasonSetting } from "../../site/site-reasons.ts";
import type { ComparisonCounts as StoredCounts } from "../../site/store/compare.ts";
import { decisions } from "../../site/store/decisions.ts";
import { type GraphNode, linkGraph, type TreeQuery, treeChildren } from "../../site/store/graph.ts";
import { findUrl } from "../../site/store/link-queries.ts";
import { overview } from "../../site/store/overview.ts";
import type { Row, SiteReader } from "../../site/store/reader.ts";
import { type SiteSummary, summarize } from "../../site/store/summary.ts";
import type { UrlDetail } from "../../site/store/url-detail.ts";
import type { CrawlRecord } from "../crawls/registry.ts";
import type { ComparisonAnswer } from "../operations/compare.ts";
import type { DescribedCrawl, Overview } from "../operations/crawls.ts";
import type { Graph, Tree } from "../operations/links.ts";
import type { Decisions, UrlDetailAnswer, UrlInCrawl } from "../operations/urls.ts";

/** The overview of a crawl, without what the registry knows about it. */
export function overviewAnswer(reader: SiteReader): Omit<Overview, "crawlInfo" | "previousId"> {
  const { summary, depths, contentTypes, indexability, hosts, responseTimes, duplicates } = overview(reader);
  return {
    ...summary,
    ...earlierNames(summary),
    contentTypes: contentTypes.map(({ value, count, filter }) => ({ value, count, filter })),
    indexability: indexability.flatMap(({ reason, count, filter }) =>
      reason === null ? [] : [{ value: reason, count, filter }],
    ),
    depths: depths.map(({ crawled: total, clientError, serverError, noAnswer, ...at }) => ({
      ...at,
      ...{ total, clientError, serverError, noAnswer },
      // Understood until version 0.3.
      ...{ client: clientError, server: serverError, failed: noAnswer },
    })),
    hosts,
    responseTimes: responseTimes.map(({ upTo: toMs, count, filter }, index) => ({
      fromMs: responseTimes[index - 1]?.upTo ?? 0,
      toMs,
      count,
      filter,
    })),
    duplicates,
  };
}

export function urlAnswer({
  url,
  fields,
  headers,
  rendered,
  redirects,
  linksIn,
  linksOut,
  hasHtml,
}: UrlDetail): UrlDetailAnswer {
  return {
    url,
    facts: fields,
    headers,
    rendered:
      rendered === null ? null : renderedAnswer({ ...rendered, console_errors: rendered.console_errors.join("\n") }),
    redirects: redirects.map(({ url, status }) => ({ url, status })),
    ...{ linksIn, linksOut, hasHtml },
  };
}

/** The table's columns, by field name. */
const renderedAnswer = (columns: Row): Row =>
  Object.fromEntries(
    Object.entries(columns).map(([column, value]) => {
      const field = fieldNamed(column);
      return [field?.name ?? fieldName(column), field?.type === "boolean" ? truthOf(value) : value];
    }),
  );

type DecisionRows = Omit<Decisions, "next" | "groups">;

export function decisionsAnswer(reader: SiteReader, reason: string | null, limit: number): DecisionRows {
  const page = decisions(reader, { reason, limit, offset: 0 });
  const reasons = reader.db
    .prepare("SELECT reason, count(*) AS count FROM urls WHERE reason IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1")
    .all() as { reason: string; count: number }[];
  return {
    total: page.total,
    urls: page.urls,
    reasons: reasons.map(({ reason, count }) => ({
      ...{ reason, count },
      meaning: reasonMeaning(reason),
      setting: reasonSetting(reason),
    })),
    rows: page.groups.map(({ reason, rule, verdict, count, examples }) => ({
      reason,
      rule,
      verdict,
      count,
      examples,
    })),
  };
}

export const compareCounts = ({
  added,
  gone,
  notCrawled,
  changed,
  unchanged,
  effects,
  fields,
}: StoredCounts): Pick<ComparisonAnswer, "counts" | "effects" | "fields"> => ({
  counts: { added, gone, notCrawled, changed, unchanged, removed: notCrawled },
  effects,
  fields: Object.entries(fields)
    .map(([field, count]) => ({ field, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count),
});

/** Ten links per page: enough to keep the graph together, and few enough for a browser to draw at once. */
const EDGES_PER_NODE = 10;

export function graphAnswer(reader: SiteReader, nodes: number): Graph {
  const graph = linkGraph(reader, { nodes, edges: nodes * EDGES_PER_NODE });
  return {
    nodes: graph.nodes.map(withEarlierNames),
    edges: graph.edges,
    totalNodes: graph.pagesTotal,
    totalEdges: graph.edgesTotal,
    rankedBy: graph.rankedBy,
    isComplete: graph.isComplete,
  };
}

/** Understood until version 0.3. */
const withEarlierNames = <Node extends GraphNode>(node: Node) => ({
  ...node,
  linksIn: node.inlinks,
  linksOut: node.outlinks,
});

export function treeAnswer(reader: SiteReader, query: TreeQuery): Omit<Tree, "next"> & { next: number | null } {
  const { total, nodes, next } = treeChildren(reader, query);
  const decided = reader.db.prepare("SELECT verdict, reason FROM urls WHERE id = ?");
  const rows = nodes.map((node) => {
    const { verdict, reason } = decided.get(node.id) as { verdict: string; reason: string | null };
    return { ...withEarlierNames(node), verdict, reason };
  });
  return { total, rows, next };
}

/** What one crawl knows about a URL. */
type UrlFacts = Omit<UrlInCrawl, "crawlId" | "startedAt" | "crawlDateTime" | "hasChanged">;

/** For a crawl that never found the URL. */
export const NOT_MET: UrlFacts = {
  wasMet: false,
  wasFetched: false,
  verdict: null,
  reason: null,
  status: null,
  title: null,
  wordCount: null,
  timeTotal: null,
  contentHash: null,
};

export function urlFacts(reader: SiteReader, url: string): UrlFacts {
  try {
    const { id, verdict, reason } = findUrl(reader, url);
    const page = reader.db
      .prepare(
        `SELECT status, title, word_count AS wordCount, round(time_total, 1) AS timeTotal, content_hash AS contentHash
         FROM pages WHERE id = ?`,
      )
      .get(id);
    return {
      ...NOT_MET,
      wasMet: true,
      wasFetched: page !== undefined,
      verdict,
      reason,
      ...(page as Partial<UrlFacts> | undefined),
    };
  } catch (error) {
    if (error instanceof TrawlError && error.code === "URL_NOT_IN_CRAWL") return NOT_MET;
    throw error;
  }
}

/** Content or status differ. An unchanged page may have been answered with 304. */
export const differ = (now: UrlFacts, before: UrlFacts): boolean =>
  (now.status !== before.status && now.status !== 304 && before.status !== 304) ||
  now.contentHash !== before.contentHash;

/** The error that kept a crawl from getting anything; null when it got something. */
export function problemOf({ ending }: Pick<CrawlRecord, "ending">): DescribedCrawl["problem"] {
  const code = ending === null ? null : END_CAUSES[ending.cause].code;
  return code === null ? null : { code, message: ending!.message ?? "", hint: ending!.hint ?? "" };
}

/** The fields of a URL that can be shown, filtered, sorted and exported. */
export const urlFields = (): Omit<Field, "sql" | "fact">[] => FIELDS.map(({ sql: _, fact: __, ...field }) => field);

/** The counts of a crawl, with reasons and errors in words beside their codes. */
export function summaryAnswer(reader: SiteReader, listed: number): DescribedCrawl["summary"] {
  const { reasons, errorCodes, ...counts } = summarize(reader, listed);
  return {
    ...counts,
    reasons: reasons.map((one) => ({ ...one, meaning: reasonMeaning(one.value) })),
    ...earlierNames(counts),
    errorCodes: errorCodes.map((one) => ({ ...one, meaning: fetchErrorMeaning(one.value) })),
  };
}

/** Understood until version 0.3. */
const earlierNames = ({ errors, broken, slowest }: Pick<SiteSummary, "errors" | "broken" | "slowest">) => ({
  failed: errors,
  brokenTotal: broken,
  slowest: slowest.map((page) => ({ ...page, ms: page.timeServer })),
});

/** Every reason for which a URL is not crawled, in words, with the setting that changes it. */
export const crawlReasons = (): { reason: string; meaning: string; setting: string | null }[] =>
  Object.entries(REASONS).map(([reason, { meaning, setting }]) => ({ reason, meaning, setting }));
