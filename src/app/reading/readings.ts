/**
 * Everything that can be read from a crawl, by name, so that another process can do it: plain values in, plain values
 * out.
 */

import type { Acceptance } from "../../site/audit/acceptances.ts";
import { type FindingQuery, readFindings } from "../../site/audit/findings.ts";
import { readIssues, readTotals } from "../../site/audit/issues.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import type { TreeQuery } from "../../site/store/graph.ts";
import { type BrokenQuery, brokenUrls, type LinkSearch, searchLinks } from "../../site/store/link-explorer.ts";
import { findUrl, type LinksOf, linksIn, linksOut } from "../../site/store/link-queries.ts";
import type { Row, SiteReader } from "../../site/store/reader.ts";
import { type StructureQuery, siteStructure } from "../../site/store/structure.ts";
import { urlDetail } from "../../site/store/url-detail.ts";
import { countViews, SiteView, type ViewQuery } from "../../site/store/view.ts";
import { whyUrl } from "../../site/store/why.ts";
import {
  decisionsAnswer,
  graphAnswer,
  overviewAnswer,
  summaryAnswer,
  treeAnswer,
  urlAnswer,
  urlFacts,
} from "../data/crawl-answers.ts";

export const READINGS = {
  overview: (reader: SiteReader) => overviewAnswer(reader),
  summary: (reader: SiteReader, { listed }: { listed: number }) => summaryAnswer(reader, listed),
  decisions: (reader: SiteReader, { reason, limit }: { reason: string | null; limit: number }) =>
    decisionsAnswer(reader, reason, limit),
  why: (reader: SiteReader, { config, url }: { config: SiteConfig; url: string }) => whyUrl(reader, config, url),
  /** Everything about one URL. */
  url: (reader: SiteReader, { url }: { url: string }) => urlAnswer(urlDetail(reader, url)),
  /** A shorter form of the same, whether or not the crawl found the URL. */
  facts: (reader: SiteReader, { url }: { url: string }) => urlFacts(reader, url),
  /** The id of a URL, which cursors refer to. */
  id: (reader: SiteReader, { url }: { url: string }): number => findUrl(reader, url).id,
  linksIn: (reader: SiteReader, query: LinksOf) => linksIn(reader, query),
  linksOut: (reader: SiteReader, query: LinksOf) => linksOut(reader, query),
  searchLinks: (reader: SiteReader, query: LinkSearch) => searchLinks(reader, query),
  brokenLinks: (reader: SiteReader, query: BrokenQuery) => brokenUrls(reader, query),
  structure: (reader: SiteReader, query: StructureQuery) => siteStructure(reader, query),
  tree: (reader: SiteReader, query: TreeQuery) => treeAnswer(reader, query),
  graph: (reader: SiteReader, { nodes }: { nodes: number }) => graphAnswer(reader, nodes),
  /** The ids of a list's URLs, in its order. */
  view: (reader: SiteReader, query: ViewQuery): Int32Array => SiteView.open(reader, query).ids(),
  rows: (reader: SiteReader, { fields, ids }: { fields: string[]; ids: Int32Array }): Row[] =>
    SiteView.of(reader, ids).rows(fields, 0, ids.length),
  issues: (reader: SiteReader, { acceptances }: { acceptances: readonly Acceptance[] }) =>
    readIssues(reader, acceptances),
  findings: (reader: SiteReader, query: FindingQuery) => readFindings(reader, query),
  /** Null when the crawl was not audited. */
  auditTotals: (reader: SiteReader) => readTotals(reader),
  counts: (reader: SiteReader, { queries }: { queries: Omit<ViewQuery, "sort">[] }) => countViews(reader, queries),
};

export type Readings = typeof READINGS;
export type ReadingName = keyof Readings;
export type ReadingArgs<Name extends ReadingName> =
  Parameters<Readings[Name]> extends [unknown, infer Args] ? Args : null;
export type ReadingAnswer<Name extends ReadingName> = ReturnType<Readings[Name]>;
