/** What is stored of crawls: every question that a screen, a script or an agent asks of one. */
import { existsSync } from "node:fs";
import { TrawlError } from "../../errors.ts";
import { COMPARED_FIELDS, FIELDS, type Field } from "../../site/facts/fact-fields.ts";
import { parseConfig } from "../../site/site-config.ts";
import { Comparison, type ComparisonPage } from "../../site/store/compare.ts";
import { findUrl, type LinkPage, type LinkRow, linksIn, linksOut } from "../../site/store/link-queries.ts";
import type { Row, SiteReader } from "../../site/store/reader.ts";
import { runSql, type SqlResult } from "../../site/store/sql.ts";
import { urlDetail } from "../../site/store/url-detail.ts";
import { SiteView } from "../../site/store/view.ts";
import { type Why, whyUrl } from "../../site/store/why.ts";
import type { ActiveCrawls } from "../crawls/active-crawls.ts";
import type { Crawls } from "../crawls/crawls.ts";
import type { CrawlRecord, CrawlRecordState } from "../crawls/registry.ts";
import type { CrawlInfo } from "../operations/shapes.ts";
import { KeptAnswers } from "./answer-cache.ts";
import {
  type CompareCounts,
  compareCounts,
  type DecisionsAnswer,
  decisionsAnswer,
  differ,
  type GraphAnswer,
  graphAnswer,
  NOT_MET,
  type OverviewAnswer,
  overviewAnswer,
  type TreeAnswer,
  treeAnswer,
  type UrlAnswer,
  urlAnswer,
  urlFacts,
} from "./crawl-answers.ts";
import type {
  CompareQuestion,
  CrawlResult,
  OfUrl,
  Paged,
  PageOf,
  SqlQuestion,
  UrlInCrawl,
  UrlsQuestion,
} from "./crawl-questions.ts";
import { badCursor, placeBehind, viewCursor } from "./cursor.ts";
import type { Readers } from "./readers.ts";
import { type TypedTable, typedTables } from "./sql-tables.ts";

export interface CrawlDataParts {
  crawls: Crawls;
  activeCrawls: ActiveCrawls;
  readers: Readers;
}

/** A view of a million URLs holds 4 MB; a person has a few open. */
const KEPT_VIEWS = 8;
/** A comparison holds a connection and a table of what differs; a drawing, thousands of rows. */
const KEPT_LARGE = 2;
const monotonic = (): number => performance.now();

const RESULT_FIELDS = ["url", "status", "title", "indexable", "content_type", "error"];

export class CrawlData {
  readonly #parts: CrawlDataParts;
  readonly #views = new KeptAnswers<SiteView>({ limit: KEPT_VIEWS, monotonic });
  readonly #overviews = new KeptAnswers<OverviewAnswer>({ limit: KEPT_VIEWS, monotonic });
  readonly #graphs = new KeptAnswers<GraphAnswer>({ limit: KEPT_LARGE, monotonic });
  readonly #comparisons = new KeptAnswers<Comparison>({
    limit: KEPT_LARGE,
    monotonic,
    close: (comparison) => comparison.close(),
  });

  readonly #abort = new AbortController();

  constructor(parts: CrawlDataParts) {
    this.#parts = parts;
    // A view reads its rows through the connection that made it.
    parts.readers.onDrop = (id) => this.#views.drop(id);
  }

  info(id: number): CrawlInfo {
    const { crawls, activeCrawls } = this.#parts;
    return activeCrawls.info(crawls.get(id));
  }

  /** A reader of its own, for what takes long; the caller closes it. */
  openReader(id: number): SiteReader {
    return this.#parts.crawls.read(id);
  }

  remove(id: number): { done: true } {
    this.#parts.readers.drop(id);
    for (const kept of [this.#views, this.#overviews, this.#graphs, this.#comparisons]) kept.drop(id);
    this.#parts.crawls.remove(id);
    return { done: true };
  }

  fields(): Omit<Field, "sql">[] {
    return FIELDS.map(({ sql: _, ...field }) => field);
  }

  /** What was crawled, in the seed's words. */
  results(question: Paged): { crawlInfo: CrawlInfo; results: CrawlResult[]; total: number; next: string | null } {
    const asked = { ...question, fields: RESULT_FIELDS, filter: ["verdict=crawl"] };
    const { total, rows, next } = this.urls({ ...asked, search: null, sort: null, offset: null });
    const results = rows.map(({ content_type: contentType, ...row }) => ({ ...row, contentType }));
    return { crawlInfo: this.info(question.id), results: results as unknown as CrawlResult[], total, next };
  }

  urls({ id, fields, filter, search, sort, limit, cursor, offset }: UrlsQuestion): PageOf<Row> {
    const query = { filters: filter, search, sort };
    const reader = this.#reader(id);
    const view = this.#views.get([id], query, this.#version(id), () => SiteView.open(reader, query));
    const first = offset ?? (cursor === null ? 0 : placeBehind(view, cursor));
    const rows = view.rows(fields, first, limit);
    return { total: view.total, rows, next: viewCursor(view, first + rows.length) };
  }

  why({ id, url }: OfUrl): Omit<Why, "path"> & { way: Why["path"] } {
    const { crawls } = this.#parts;
    const { settings } = crawls.get(id);
    const { path: way, ...why } = whyUrl(this.#reader(id), parseConfig(settings), crawls.canonical(id, url));
    return { ...why, way };
  }

  /** The URL in all crawls of the project, newest first. */
  history({ id, url, limit }: OfUrl & { limit: number }): UrlInCrawl[] {
    const { crawls, readers } = this.#parts;
    const records = crawls.listOf(crawls.get(id).projectId).slice(0, limit + 1);
    const facts = records.map(({ id: each }) =>
      // A crawl that failed before it began has no database.
      existsSync(crawls.home.crawlDatabase(each)) ? urlFacts(readers.get(each), crawls.canonical(each, url)) : NOT_MET,
    );
    return records.slice(0, limit).map((record, index) => {
      const before = facts[index + 1];
      return {
        crawlId: record.id,
        crawlDateTime: record.startedAt,
        ...facts[index]!,
        hasChanged: before !== undefined && differ(facts[index]!, before),
      };
    });
  }

  links({ id, url, direction, limit, cursor }: OfUrl & Paged & { direction: "in" | "out" }): PageOf<LinkRow> {
    const { reader, urlId } = this.#find(id, url);
    const links = direction === "in" ? linksIn : linksOut;
    return textCursor(links(reader, urlId, limit, numberCursor(cursor)));
  }

  /** Both directions, each up to the limit. */
  pageLinks({ id, url, limit }: OfUrl & { limit: number }): {
    pageUrl: string;
    inlinks: LinkRow[];
    inlinksTotal: number;
    outlinks: LinkRow[];
    outlinksTotal: number;
  } {
    const { reader, urlId, canonical } = this.#find(id, url);
    const [into, out] = [linksIn(reader, urlId, limit, 0), linksOut(reader, urlId, limit, 0)];
    return {
      pageUrl: canonical,
      inlinks: into.rows,
      inlinksTotal: into.total,
      outlinks: out.rows,
      outlinksTotal: out.total,
    };
  }

  /** The crawl of the same project and kind before this one. */
  previousId(id: number, states: readonly CrawlRecordState[]): number | null {
    const { crawls } = this.#parts;
    const { projectId, mode } = crawls.get(id);
    const isBefore = (record: CrawlRecord) => record.id < id && record.mode === mode && states.includes(record.state);
    return crawls.listOf(projectId).find(isBefore)?.id ?? null;
  }

  /** A crawl in counts. */
  overview(id: number): OverviewAnswer & { crawlInfo: CrawlInfo; previousId: number | null } {
    const answer = this.#overviews.get([id], null, this.#version(id), () => overviewAnswer(this.#reader(id)));
    return { ...answer, crawlInfo: this.info(id), previousId: this.previousId(id, ["completed", "paused"]) };
  }

  /** Everything of one URL. */
  url({ id, url }: OfUrl): UrlAnswer {
    return urlAnswer(urlDetail(this.#reader(id), this.#parts.crawls.canonical(id, url)));
  }

  decisions({ id, reason, limit }: { id: number; reason: string | null; limit: number }): DecisionsAnswer {
    return decisionsAnswer(this.#reader(id), reason, limit);
  }

  /** What changed from the crawl `other` to the later crawl `id`. */
  compare({ id, other, change, field, ...page }: CompareQuestion): CompareCounts & ComparisonPage {
    if (field !== null && !COMPARED_FIELDS.includes(field)) {
      throw new TrawlError("BAD_USAGE", `"${field}" is not compared. Fields: ${COMPARED_FIELDS.join(", ")}.`);
    }
    const comparison = this.#comparison(id, other);
    return { ...compareCounts(comparison.counts), ...comparison.rows({ change, field, ...page }) };
  }

  changeCounts(id: number, other: number): CompareCounts["counts"] {
    return compareCounts(this.#comparison(id, other).counts).counts;
  }

  /** The most linked pages and the links among them. */
  graph({ id, nodes }: { id: number; nodes: number }): GraphAnswer {
    return this.#graphs.get([id], nodes, this.#version(id), () => graphAnswer(this.#reader(id), nodes));
  }

  /** What was found first on a URL, or at the start. */
  tree({ id, url, limit, cursor }: Paged & { url: string | null }): TreeAnswer {
    const canonical = url === null ? null : this.#parts.crawls.canonical(id, url);
    return treeAnswer(this.#reader(id), { url: canonical, limit, cursor: numberCursor(cursor) });
  }

  sql({ id, sql, limit, timeoutMs }: SqlQuestion): Promise<SqlResult> {
    const { crawls } = this.#parts;
    const { signal } = this.#abort;
    return runSql(crawls.home.crawlDatabase(crawls.get(id).id), sql, { rows: limit, timeoutMs, signal });
  }

  tables(): TypedTable[] {
    return typedTables();
  }

  /** Ends queries that are under way, and closes every file. */
  close(): void {
    this.#abort.abort();
    this.#comparisons.close();
    this.#parts.readers.close();
  }

  #comparison(id: number, other: number): Comparison {
    const { home } = this.#parts.crawls;
    return this.#comparisons.get([id, other], null, `${this.#version(id)} ${this.#version(other)}`, () => {
      return new Comparison(home.crawlDatabase(other), home.crawlDatabase(id));
    });
  }

  #version(id: number): string {
    const { state, pagesCrawled, urlsDiscovered } = this.info(id);
    return `${state} ${pagesCrawled} ${urlsDiscovered}`;
  }

  #reader(id: number): SiteReader {
    return this.#parts.readers.get(id);
  }

  #find(id: number, url: string): { reader: SiteReader; urlId: number; canonical: string } {
    const canonical = this.#parts.crawls.canonical(id, url);
    const reader = this.#parts.readers.get(id);
    return { reader, urlId: findUrl(reader, canonical).id, canonical };
  }
}

const textCursor = ({ next, ...page }: LinkPage): PageOf<LinkRow> => ({
  ...page,
  next: next === null ? null : String(next),
});

function numberCursor(cursor: string | null): number {
  if (cursor === null) return 0;
  if (!/^\d{1,15}$/.test(cursor)) throw badCursor();
  return Number(cursor);
}
