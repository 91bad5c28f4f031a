/** What is stored about crawls: the answers for screens, scripts and agents. */
import { existsSync } from "node:fs";
import { TrawlError } from "../../errors.ts";
import { changedSettings } from "../../site/changed-settings.ts";
import { withoutSecrets } from "../../site/credentials/secrets.ts";
import { COMPARED_FIELDS } from "../../site/facts/fact-fields.ts";
import { parseConfig } from "../../site/site-config.ts";
import { Comparison } from "../../site/store/compare.ts";
import { findUrl, linksIn, linksOut } from "../../site/store/link-queries.ts";
import type { Row, SiteReader } from "../../site/store/reader.ts";
import { runSql, type SqlResult } from "../../site/store/sql.ts";
import { urlDetail } from "../../site/store/url-detail.ts";
import { countViews, SiteView } from "../../site/store/view.ts";
import { whyUrl } from "../../site/store/why.ts";
import type { ActiveCrawls } from "../crawls/active-crawls.ts";
import { crawlEntry, unixSeconds } from "../crawls/crawl-info.ts";
import type { Crawls } from "../crawls/crawls.ts";
import { type CrawlRecord, type CrawlRecordState, WITH_RESULTS } from "../crawls/registry.ts";
import type { ComparisonAnswer, ComparisonCounts, ComparisonQuestion } from "../operations/compare.ts";
import type { CrawlResults, DescribedCrawl, Overview, ResultsQuestion } from "../operations/crawls.ts";
import type { Graph, LinksPage, LinksQuestion, PageLinks, Tree, TreeQuestion } from "../operations/links.ts";
import type { CrawlInfo } from "../operations/shapes.ts";
import type { SqlQuestion } from "../operations/sql.ts";
import type {
  CountsQuestion,
  Decisions,
  ExportQuestion,
  UrlDetailAnswer,
  UrlInCrawl,
  UrlsQuestion,
  WhyAnswer,
} from "../operations/urls.ts";
import { KeptAnswers } from "./answer-cache.ts";
import {
  compareCounts,
  decisionsAnswer,
  differ,
  graphAnswer,
  NOT_MET,
  overviewAnswer,
  problemOf,
  summaryAnswer,
  treeAnswer,
  urlAnswer,
  urlFacts,
} from "./crawl-answers.ts";
import { type ListKey, placeBehind, readCursor, viewCursor, writeCursor } from "./cursor.ts";
import type { Readers } from "./readers.ts";

/** A URL of a crawl. */
interface OfUrl {
  id: number;
  url: string;
}

export interface CrawlDataParts {
  crawls: Crawls;
  activeCrawls: ActiveCrawls;
  readers: Readers;
}

/** A view of a million URLs takes 4 MB; a user has a few open. */
const KEPT_VIEWS = 8;
/** A comparison keeps a connection and a table of differences; a graph, thousands of rows. */
const KEPT_LARGE = 2;
const monotonic = (): number => performance.now();

const RESULT_FIELDS = [
  ...["url", "status", "title", "description", "content_hash", "indexable", "content_type", "error", "fetched_at"],
];

export class CrawlData {
  readonly #parts: CrawlDataParts;
  readonly #views = new KeptAnswers<SiteView>({ limit: KEPT_VIEWS, monotonic });
  readonly #overviews = new KeptAnswers<ReturnType<typeof overviewAnswer>>({ limit: KEPT_VIEWS, monotonic });
  readonly #graphs = new KeptAnswers<Graph>({ limit: KEPT_LARGE, monotonic });
  readonly #comparisons = new KeptAnswers<Comparison>({
    limit: KEPT_LARGE,
    monotonic,
    close: (comparison) => comparison.close(),
  });

  readonly #counts = new KeptAnswers<number[]>({ limit: KEPT_VIEWS, monotonic });

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

  /** A crawl with its settings and counts; at most `listed` broken and slow pages. */
  describe(id: number, listed: number): DescribedCrawl {
    const { crawls } = this.#parts;
    const record = crawls.get(id);
    const reader = this.#reader(id);
    const settings = withoutSecrets(parseConfig(record.settings));
    return {
      crawl: { ...crawlEntry(record, crawls), settings },
      changed: changedSettings(settings),
      summary: summaryAnswer(reader, listed),
      problem: problemOf(record),
    };
  }

  remove(id: number): { done: true } {
    this.#parts.readers.drop(id);
    for (const kept of [this.#views, this.#counts, this.#overviews, this.#graphs, this.#comparisons]) kept.drop(id);
    this.#parts.crawls.remove(id);
    return { done: true };
  }

  /** What was crawled, and what was only recorded. */
  results(question: ResultsQuestion): CrawlResults {
    const asked = { ...question, fields: RESULT_FIELDS, filter: ["verdict!=skip"] };
    const { total, rows, next } = this.urls({ ...asked, search: null, sort: null, offset: null });
    return { crawlInfo: this.info(question.id), results: rows.map(resultRow), total, next };
  }

  urls({ id, fields, filter, search, sort, limit, cursor, offset }: UrlsQuestion): {
    total: number;
    rows: Row[];
    next: string | null;
  } {
    const query = { filters: filter, search, sort };
    const reader = this.#reader(id);
    const view = this.#views.get([id], query, this.#version(id), () => SiteView.open(reader, query));
    const list = ["urls", id, query];
    const first = offset ?? (cursor === null ? 0 : placeBehind(list, view, cursor));
    const rows = view.rows(fields, first, limit);
    return { total: view.total, rows, next: viewCursor(list, view, first + rows.length) };
  }

  /** How many URLs each view has, without listing them. */
  counts({ id, views }: CountsQuestion): { totals: number[] } {
    const queries = views.map(({ filter, search }) => ({ filters: filter, search }));
    const totals = this.#counts.get([id], queries, this.#version(id), () => countViews(this.#reader(id), queries));
    return { totals };
  }

  why({ id, url }: OfUrl): WhyAnswer {
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
        crawlDateTime: unixSeconds(record.startedAt),
        ...facts[index]!,
        hasChanged: before !== undefined && differ(facts[index]!, before),
      };
    });
  }

  links({ id, url, direction, limit, cursor }: LinksQuestion): LinksPage {
    const { reader, urlId, canonical } = this.#find(id, url);
    const list = ["links", id, urlId, direction];
    const { next, ...page } = (direction === "in" ? linksIn : linksOut)(reader, urlId, limit, placeIn(list, cursor));
    return { url: canonical, ...page, next: next === null ? null : writeCursor(list, [next]) };
  }

  /** Both directions, each up to the limit. */
  pageLinks({ id, url, limit }: OfUrl & { limit: number }): PageLinks {
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

  /** The crawl of the same project and kind before this one, in one of these states. */
  previousId(id: number, states: readonly CrawlRecordState[] = WITH_RESULTS): number | null {
    const { crawls } = this.#parts;
    const { projectId, mode } = crawls.get(id);
    const isBefore = (record: CrawlRecord) => record.id < id && record.mode === mode && states.includes(record.state);
    return crawls.listOf(projectId).find(isBefore)?.id ?? null;
  }

  /** The overview of a crawl. */
  overview(id: number): Overview {
    const answer = this.#overviews.get([id], null, this.#version(id), () => overviewAnswer(this.#reader(id)));
    return { ...answer, crawlInfo: this.info(id), previousId: this.previousId(id) };
  }

  /** Everything about one URL. */
  url({ id, url }: OfUrl): UrlDetailAnswer {
    return urlAnswer(urlDetail(this.#reader(id), this.#parts.crawls.canonical(id, url)));
  }

  decisions({ id, reason, limit }: { id: number; reason: string | null; limit: number }): Decisions {
    return decisionsAnswer(this.#reader(id), reason, limit);
  }

  /** What changed from the crawl `other` to the later crawl `id`. */
  compare({ id, other, change, effect, field, search, limit, cursor }: ComparisonQuestion): ComparisonAnswer {
    if (field !== null && !COMPARED_FIELDS.includes(field)) {
      throw new TrawlError("BAD_USAGE", `"${field}" is not compared. Fields: ${COMPARED_FIELDS.join(", ")}.`);
    }
    const comparison = this.#comparison(id, other);
    const list = ["changes", id, other, change, effect, field, search];
    const after = cursor === null ? null : (readCursor(list, cursor)[0] as string);
    const { next, ...page } = comparison.rows({ change, effect, field, search, limit, cursor: after });
    return {
      ...compareCounts(comparison.counts),
      ...page,
      next: next === null ? null : writeCursor(list, [next]),
    };
  }

  changeCounts(id: number, other: number): ComparisonCounts {
    return compareCounts(this.#comparison(id, other).counts).counts;
  }

  /** The most linked pages and the links among them. */
  graph({ id, nodes }: { id: number; nodes: number }): Graph {
    return this.#graphs.get([id], nodes, this.#version(id), () => graphAnswer(this.#reader(id), nodes));
  }

  /** The URLs that were found first on a URL, or at the start. */
  tree({ id, url, limit, cursor }: TreeQuestion): Tree {
    const canonical = url === null ? null : this.#parts.crawls.canonical(id, url);
    const list = ["tree", id, canonical];
    const { next, ...page } = treeAnswer(this.#reader(id), { url: canonical, limit, cursor: placeIn(list, cursor) });
    return { ...page, next: next === null ? null : writeCursor(list, [next]) };
  }

  sql({ id, sql, limit, timeoutMs }: SqlQuestion): Promise<SqlResult> {
    const { crawls } = this.#parts;
    const { signal } = this.#abort;
    return runSql(crawls.home.crawlDatabase(crawls.get(id).id), sql, { rows: limit, timeoutMs, signal });
  }

  /** All rows of a crawl as CSV or JSON lines, read on demand. Ending `chunks` early also ends the reading. */
  async export(question: ExportQuestion): Promise<CrawlExport> {
    const { id, format, what, fields, filter, search, sort, raw } = question;
    // Loaded here, with its CSV writer: only exports need it.
    const { exportChunks, exportFields, exportFileName, exportLabel, exportRows } = await import(
      "../../site/export/export-rows.ts"
    );
    const names = exportFields(what, fields.length === 0 ? null : fields);
    const labels = question.labels ? names.map((name) => exportLabel(what, name)) : names;
    const { domain, startedAt } = this.#parts.crawls.get(id);
    const fileName = exportFileName(domain, question.name ?? what, startedAt, format);
    const reader = this.#parts.crawls.read(id);
    let written = 0;
    function* counted(): Generator<Row> {
      for (const row of exportRows(reader, { what, fields: names, filters: filter, search, sort })) {
        written++;
        yield row;
      }
    }
    function* chunks(): Generator<string> {
      try {
        yield* exportChunks(counted(), { format, fields: names, labels, raw });
      } finally {
        reader.close();
      }
    }
    return { fileName, chunks: chunks(), rows: () => written };
  }

  /** Ends running queries, and closes every file. */
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
    const { state, urlsCrawled, urlsDiscovered } = this.info(id);
    return `${state} ${urlsCrawled} ${urlsDiscovered}`;
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

function resultRow({ content_type, content_hash, description, indexable, fetched_at, ...row }: Row) {
  return {
    ...row,
    visited: fetched_at !== null,
    metaDescription: description,
    contentHash: content_hash,
    indexable: indexable ?? "-",
    contentType: content_type,
  } as unknown as CrawlResults["results"][number];
}

/** A running export. */
export interface CrawlExport {
  /** Without folders. */
  fileName: string;
  chunks: Generator<string>;
  /** How many rows were read so far. */
  rows(): number;
}

/** The number after which a list continues. */
const placeIn = (list: ListKey, cursor: string | null): number =>
  cursor === null ? 0 : (readCursor(list, cursor)[0] as number);
