/** What the store knows of a crawl, in the shapes that operations answer with. */
import { TrawlError } from "../../errors.ts";
import { reasonMeaning, reasonSetting } from "../../site/reason-texts.ts";
import type { ComparisonCounts } from "../../site/store/compare.ts";
import { type DecisionGroup, decisions } from "../../site/store/decisions.ts";
import { type LinkGraph, linkGraph } from "../../site/store/graph.ts";
import { findUrl } from "../../site/store/link-queries.ts";
import { type HostCounts, type Overview, overview } from "../../site/store/overview.ts";
import type { Row, SiteReader } from "../../site/store/reader.ts";
import type { CountOf, SiteSummary } from "../../site/store/summary.ts";
import { type TreeNode, type TreeQuery, treeChildren } from "../../site/store/tree.ts";
import type { UrlDetail } from "../../site/store/url-detail.ts";

export interface OverviewAnswer extends SiteSummary {
  contentTypes: CountOf<string | null>[];
  /** Why pages are not indexable. */
  indexability: CountOf<string>[];
  depths: {
    depth: number;
    total: number;
    ok: number;
    redirect: number;
    client: number;
    server: number;
    failed: number;
  }[];
  hosts: HostCounts[];
  responseTimes: { fromMs: number; toMs: number | null; count: number }[];
  duplicates: Overview["duplicates"];
}

export function overviewAnswer(reader: SiteReader): OverviewAnswer {
  const { summary, depths, contentTypes, indexability, hosts, responseTimes, duplicates } = overview(reader);
  return {
    ...summary,
    contentTypes: contentTypes.map(({ value, count }) => ({ value, count })),
    indexability: indexability.flatMap(({ reason, count }) => (reason === null ? [] : [{ value: reason, count }])),
    depths: depths.map(
      ({ depth, crawled: total, ok, redirect, clientError: client, serverError: server, noAnswer }) => ({
        ...{ depth, total, ok, redirect, client, server },
        failed: noAnswer,
      }),
    ),
    hosts,
    responseTimes: responseTimes.map(({ upTo: toMs, count }, index) => ({
      fromMs: responseTimes[index - 1]?.upTo ?? 0,
      toMs,
      count,
    })),
    duplicates,
  };
}

export interface UrlAnswer extends Pick<UrlDetail, "url" | "headers" | "linksIn" | "linksOut" | "hasHtml"> {
  facts: Row;
  rendered: Row | null;
  redirects: { url: string; status: number | null }[];
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
}: UrlDetail): UrlAnswer {
  return {
    url,
    facts: fields,
    headers,
    rendered: rendered === null ? null : ({ ...rendered, console_errors: rendered.console_errors.join("\n") } as Row),
    redirects: redirects.map(({ url, status }) => ({ url, status })),
    ...{ linksIn, linksOut, hasHtml },
  };
}

export interface DecisionsAnswer {
  /** URLs. */
  total: number;
  /** All of them, whichever is asked for. */
  reasons: { reason: string; meaning: string; setting: string | null; count: number }[];
  groups: Pick<DecisionGroup, "reason" | "rule" | "verdict" | "count" | "examples">[];
  groupsTotal: number;
}

export function decisionsAnswer(reader: SiteReader, reason: string | null, limit: number): DecisionsAnswer {
  const page = decisions(reader, { reason, limit, offset: 0 });
  const reasons = reader.db
    .prepare("SELECT reason, count(*) AS count FROM urls WHERE reason IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1")
    .all() as { reason: string; count: number }[];
  return {
    total: page.urls,
    reasons: reasons.map(({ reason, count }) => ({
      ...{ reason, count },
      meaning: reasonMeaning(reason),
      setting: reasonSetting(reason),
    })),
    groups: page.groups.map(({ reason, rule, verdict, count, examples }) => ({
      reason,
      rule,
      verdict,
      count,
      examples,
    })),
    groupsTotal: page.total,
  };
}

export interface CompareCounts {
  counts: Pick<ComparisonCounts, "added" | "removed" | "changed" | "unchanged">;
  /** Those in which something changed, most first. */
  fields: { field: string; count: number }[];
}

export const compareCounts = ({ added, removed, changed, unchanged, fields }: ComparisonCounts): CompareCounts => ({
  counts: { added, removed, changed, unchanged },
  fields: Object.entries(fields)
    .map(([field, count]) => ({ field, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count),
});

export interface GraphAnswer extends Pick<LinkGraph, "nodes" | "edges" | "rankedBy" | "isComplete"> {
  totalNodes: number;
  totalEdges: number;
}

/** Ten links a page: what holds the drawing together, and what a browser draws at once. */
const EDGES_PER_NODE = 10;

export function graphAnswer(reader: SiteReader, nodes: number): GraphAnswer {
  const graph = linkGraph(reader, { nodes, edges: nodes * EDGES_PER_NODE });
  return {
    nodes: graph.nodes,
    edges: graph.edges,
    totalNodes: graph.pagesTotal,
    totalEdges: graph.edgesTotal,
    rankedBy: graph.rankedBy,
    isComplete: graph.isComplete,
  };
}

export interface TreeAnswer {
  total: number;
  rows: (TreeNode & { verdict: string; reason: string | null })[];
  next: string | null;
}

export function treeAnswer(reader: SiteReader, query: TreeQuery): TreeAnswer {
  const { total, nodes, next } = treeChildren(reader, query);
  const decided = reader.db.prepare("SELECT verdict, reason FROM urls WHERE id = ?");
  const rows = nodes.map((node) => {
    const { verdict, reason } = decided.get(node.id) as { verdict: string; reason: string | null };
    return { ...node, verdict, reason };
  });
  return { total, rows, next: next === null ? null : String(next) };
}

/** What one crawl knows of the URL. */
export interface UrlFacts {
  wasMet: boolean;
  verdict: string | null;
  reason: string | null;
  status: number | null;
  title: string | null;
  wordCount: number | null;
  timeTotal: number | null;
  contentHash: string | null;
}

/** Of a crawl that never met it. */
export const NOT_MET: UrlFacts = {
  wasMet: false,
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
    return { ...NOT_MET, wasMet: true, verdict, reason, ...(page as Partial<UrlFacts> | undefined) };
  } catch (error) {
    if (error instanceof TrawlError && error.code === "URL_NOT_IN_CRAWL") return NOT_MET;
    throw error;
  }
}

/** Content or status differ. A page that did not change since may have been answered with 304. */
export const differ = (now: UrlFacts, before: UrlFacts): boolean =>
  now.wasMet !== before.wasMet ||
  (now.status !== before.status && now.status !== 304 && before.status !== 304) ||
  now.contentHash !== before.contentHash;
