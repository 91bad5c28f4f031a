/** What is stored about crawls: the answers for screens, scripts and agents. */
import { existsSync } from "node:fs";
import { TrawlError } from "../../errors.ts";
import { changedSettings } from "../../site/changed-settings.ts";
import { withoutSecrets } from "../../site/credentials/secrets.ts";
import { COMPARED_FIELDS, fieldNamed } from "../../site/facts/fact-fields.ts";
import { parseConfig, type SiteConfig } from "../../site/site-config.ts";
import { Comparison, type ComparisonQuery } from "../../site/store/compare.ts";
import type { Row } from "../../site/store/reader.ts";
import type { SqlResult } from "../../site/store/sql/sql.ts";
import type { ActiveCrawls } from "../crawls/active-crawls.ts";
import { crawlEntry, unixSeconds } from "../crawls/crawl-info.ts";
import type { Crawls } from "../crawls/crawls.ts";
import { type CrawlRecord, type CrawlRecordState, WITH_RESULTS } from "../crawls/registry.ts";
import type { ComparisonAnswer, ComparisonCounts, ComparisonQuestion } from "../operations/compare.ts";
import type { CrawlResults, DescribedCrawl, Overview, ResultsQuestion } from "../operations/crawls.ts";
import type { Graph, LinksPage, LinksQuestion, PageLinks, Tree, TreeQuestion } from "../operations/links.ts";
import type { CrawlInfo } from "../operations/shapes.ts";
import type { SqlQuestion } from "../operations/sql.ts";
import { isoTime } from "../operations/time.ts";
import type {
  CountsQuestion,
  Decisions,
  ExportQuestion,
  UrlDetailAnswer,
  UrlInCrawl,
  UrlsQuestion,
  WhyAnswer,
} from "../operations/urls.ts";
import type { Reading } from "../reading/reading.ts";
import type { ReadingAnswer, ReadingArgs, ReadingName } from "../reading/readings.ts";
import type { ComparisonReading } from "../reading/tasks.ts";
import { KeptAnswers } from "./answer-cache.ts";
import { compareCounts, differ, NOT_MET, problemOf } from "./crawl-answers.ts";
import { RESULT_FIELDS, resultRow } from "./crawl-results.ts";
import { type PageAsked, pageFromStart, placeBehind, placeIn, readCursor, viewCursor, writeCursor } from "./cursor.ts";
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
  reading: Reading;
}

/** A view of a million URLs takes 4 MB; a user has a few open. */
const KEPT_VIEWS = 8;
/** A comparison keeps a connection and a table of differences, and a graph keeps thousands of rows. */
const KEPT_LARGE = 2;
const monotonic = (): number => performance.now();

export class CrawlData {
  readonly #parts: CrawlDataParts;
  /** The ids of lists, in their order. */
  readonly #views = new KeptAnswers<Promise<Int32Array>>({ limit: KEPT_VIEWS, monotonic });
  readonly #overviews = new KeptAnswers<Promise<ReadingAnswer<"overview">>>({ limit: KEPT_VIEWS, monotonic });
  readonly #graphs = new KeptAnswers<Promise<Graph>>({ limit: KEPT_LARGE, monotonic });
  readonly #comparisons = new KeptAnswers<Comparison>({
    limit: KEPT_LARGE,
    monotonic,
    close: (comparison) => comparison.close(),
  });

  readonly #counts = new KeptAnswers<Promise<number[]>>({ limit: KEPT_VIEWS, monotonic });

  readonly #abort = new AbortController();

  constructor(parts: CrawlDataParts) {
    this.#parts = parts;
  }

  info(id: number): CrawlInfo {
    const { crawls, activeCrawls } = this.#parts;
    return activeCrawls.info(crawls.get(id));
  }

  /** A crawl with its settings and counts; at most `listed` broken and slow pages. */
  async describe(id: number, listed: number): Promise<DescribedCrawl> {
    const { crawls } = this.#parts;
    const record = crawls.get(id);
    const settings = withoutSecrets(parseConfig(record.settings));
    return {
      crawl: { ...crawlEntry(record, crawls), settings },
      changed: changedSettings(settings),
      summary: await this.#read(id, "summary", { listed }),
      previousId: this.previousId(id),
      problem: problemOf(record),
    };
  }

  remove(id: number): { done: true } {
    this.forget(id);
    this.#parts.crawls.remove(id);
    return { done: true };
  }

  /** What was read from the crawl is no longer valid. */
  forget(id: number): void {
    this.#parts.readers.drop(id);
    this.#parts.reading.rest();
    for (const kept of [this.#views, this.#counts, this.#overviews, this.#graphs, this.#comparisons]) kept.drop(id);
  }

  /** What was crawled, and what was only recorded. */
  async results(question: ResultsQuestion, signal?: AbortSignal): Promise<CrawlResults> {
    const asked = { ...question, fields: RESULT_FIELDS, filter: ["verdict!=skip"] };
    const { total, rows, next } = await this.urls({ ...asked, search: null, sort: null, offset: null }, signal);
    return { crawlInfo: this.info(question.id), results: rows.map(resultRow), total, next };
  }

  async urls(
    { id, fields, filter, search, sort, limit, cursor, offset }: UrlsQuestion,
    signal?: AbortSignal,
  ): Promise<{ total: number; rows: Row[]; next: string | null }> {
    const query = { filters: filter, search, sort };
    const load = (ended: AbortSignal) => this.#read(id, "view", query, ended);
    const ids = await this.#views.load([id], query, this.#version(id), load, signal);
    const list = ["urls", id, query];
    const first = offset ?? (cursor === null ? 0 : placeBehind(list, ids, cursor));
    // A copy, because the other process would otherwise get the whole buffer behind a part.
    const rows = await this.#read(id, "rows", { fields, ids: ids.slice(first, first + limit) }, signal);
    return { total: ids.length, rows, next: viewCursor(list, ids, first + rows.length) };
  }

  /** How many URLs each view has, without listing them. */
  async counts({ id, views }: CountsQuestion, signal?: AbortSignal): Promise<{ totals: number[] }> {
    const queries = views.map(({ filter, search }) => ({ filters: filter, search }));
    const load = (ended: AbortSignal) => this.#read(id, "counts", { queries }, ended);
    return { totals: await this.#counts.load([id], queries, this.#version(id), load, signal) };
  }

  async why({ id, url }: OfUrl, signal?: AbortSignal): Promise<WhyAnswer> {
    const { crawls } = this.#parts;
    // Only the deciding setting is shown, and no such setting is a secret.
    const config = withoutSecrets(parseConfig(crawls.get(id).settings)) as SiteConfig;
    const why = await this.#read(id, "why", { config, url: crawls.canonical(id, url) }, signal);
    return { ...why, way: why.path };
  }

  /** The URL in all crawls of the project, newest first. */
  async history({ id, url, limit }: OfUrl & { limit: number }, signal?: AbortSignal): Promise<UrlInCrawl[]> {
    const { crawls } = this.#parts;
    const records = crawls.listOf(crawls.get(id).projectId).slice(0, limit + 1);
    const facts: ReadingAnswer<"facts">[] = [];
    // One after another, so that this question does not occupy all processes.
    for (const { id: each } of records) {
      // A crawl that failed before it began has no database.
      const isThere = existsSync(crawls.home.crawlDatabase(each));
      const asked = { url: crawls.canonical(each, url) };
      facts.push(isThere ? await this.#read(each, "facts", asked, signal) : NOT_MET);
    }
    return records.slice(0, limit).map((record, index) => {
      const now = facts[index]!;
      const before = facts.slice(index + 1).find(({ wasFetched }) => wasFetched);
      return {
        crawlId: record.id,
        startedAt: isoTime(record.startedAt),
        crawlDateTime: unixSeconds(record.startedAt),
        ...now,
        hasChanged: now.wasFetched && before !== undefined && differ(now, before),
      };
    });
  }

  async links(
    { id, url, direction, type, unique, limit, cursor }: LinksQuestion,
    signal?: AbortSignal,
  ): Promise<LinksPage> {
    const canonical = this.#parts.crawls.canonical(id, url);
    const urlId = await this.#read(id, "id", { url: canonical }, signal);
    const list = ["links", id, urlId, direction, type, unique];
    const asked = { id: urlId, limit, type, isUnique: unique === "yes", after: placeIn(list, cursor) };
    const { next, ...page } = await this.#read(id, direction === "in" ? "linksIn" : "linksOut", asked, signal);
    return { url: canonical, ...page, next: next === null ? null : writeCursor(list, [next]) };
  }

  /** Both directions, each up to the limit. */
  async pageLinks({ id, url, limit }: OfUrl & { limit: number }, signal?: AbortSignal): Promise<PageLinks> {
    const canonical = this.#parts.crawls.canonical(id, url);
    const urlId = await this.#read(id, "id", { url: canonical }, signal);
    const asked = { id: urlId, limit, after: 0 };
    const into = await this.#read(id, "linksIn", asked, signal);
    const out = await this.#read(id, "linksOut", asked, signal);
    return {
      pageUrl: canonical,
      inlinks: into.rows,
      inlinksTotal: into.total,
      outlinks: out.rows,
      outlinksTotal: out.total,
    };
  }

  /** The previous crawl of the same project and kind in one of these states. */
  previousId(id: number, states: readonly CrawlRecordState[] = WITH_RESULTS): number | null {
    const { crawls } = this.#parts;
    const { projectId, mode } = crawls.get(id);
    const isBefore = (record: CrawlRecord) => record.id < id && record.mode === mode && states.includes(record.state);
    return crawls.listOf(projectId).find(isBefore)?.id ?? null;
  }

  /** The overview of a crawl. */
  async overview(id: number, signal?: AbortSignal): Promise<Overview> {
    const load = (ended: AbortSignal) => this.#read(id, "overview", null, ended);
    const answer = await this.#overviews.load([id], null, this.#version(id), load, signal);
    return { ...answer, crawlInfo: this.info(id), previousId: this.previousId(id) };
  }

  /** Everything about one URL. */
  url({ id, url }: OfUrl, signal?: AbortSignal): Promise<UrlDetailAnswer> {
    return this.#read(id, "url", { url: this.#parts.crawls.canonical(id, url) }, signal);
  }

  async decisions(
    { id, reason, ...page }: PageAsked & { id: number; reason: string | null },
    signal?: AbortSignal,
  ): Promise<Decisions> {
    const read = (limit: number) => this.#read(id, "decisions", { reason, limit }, signal);
    const found = await pageFromStart(["decisions", id, reason], page, read);
    return { ...found, groups: found.rows };
  }

  /** What changed from the crawl `other` to the later crawl `id`. */
  async compare(question: ComparisonQuestion, signal?: AbortSignal): Promise<ComparisonAnswer> {
    const { id, other, change, effect, field, search, limit, cursor } = question;
    const named = field === null ? null : (fieldNamed(field)?.name ?? field);
    if (named !== null && !COMPARED_FIELDS.includes(named)) {
      throw new TrawlError("BAD_USAGE", `"${field}" is not compared. Fields: ${COMPARED_FIELDS.join(", ")}.`);
    }
    const list = ["changes", id, other, change, effect, named, search];
    const after = cursor === null ? null : (readCursor(list, cursor)[0] as string);
    const query = { change, effect, field: named, search, limit, cursor: after };
    const { counts, page: found } = await this.#comparison(id, other, query, signal);
    const { next, ...page } = found!;
    return {
      ...compareCounts(counts),
      ...page,
      next: next === null ? null : writeCursor(list, [next]),
    };
  }

  async changeCounts(id: number, other: number): Promise<ComparisonCounts> {
    return compareCounts((await this.#comparison(id, other, null)).counts).counts;
  }

  /** The most linked pages and the links among them. */
  graph({ id, nodes }: { id: number; nodes: number }, signal?: AbortSignal): Promise<Graph> {
    const load = (ended: AbortSignal) => this.#read(id, "graph", { nodes }, ended);
    return this.#graphs.load([id], nodes, this.#version(id), load, signal);
  }

  /** The URLs that were found first on a URL, or at the start. */
  async tree({ id, url, limit, cursor }: TreeQuestion, signal?: AbortSignal): Promise<Tree> {
    const canonical = url === null ? null : this.#parts.crawls.canonical(id, url);
    const list = ["tree", id, canonical];
    const asked = { url: canonical, limit, cursor: placeIn(list, cursor) };
    const { next, ...page } = await this.#read(id, "tree", asked, signal);
    return { ...page, next: next === null ? null : writeCursor(list, [next]) };
  }

  sql({ id, sql, limit, timeoutMs }: SqlQuestion, left?: AbortSignal): Promise<SqlResult> {
    const { crawls, reading } = this.#parts;
    const signal = left === undefined ? this.#abort.signal : AbortSignal.any([left, this.#abort.signal]);
    return reading.sql(crawls.home.crawlDatabase(crawls.get(id).id), sql, { rows: limit, timeoutMs, signal });
  }

  /** All rows of a crawl as CSV or JSON lines, read on demand. Ending `chunks` early also ends the reading. */
  async export(question: ExportQuestion): Promise<CrawlExport> {
    const { fileName, query, form } = await this.#exportTask(question);
    // Loaded here, because only exports need it.
    const { exportPieces } = await import("../../site/export/export-rows.ts");
    const reader = this.#parts.crawls.read(question.id);
    let written = 0;
    function* chunks(): Generator<string> {
      try {
        for (const { bytes, rows } of exportPieces(reader, query, form)) {
          written += rows;
          yield bytes.toString();
        }
      } finally {
        reader.close();
      }
    }
    return { fileName, chunks: chunks(), rows: () => written };
  }

  /**
   * The same for a download, which others must not wait for. `onBroken`: nothing will follow what has been sent so far.
   */
  async download(question: ExportQuestion, onBroken: () => void): Promise<Download> {
    const { fileName, path, query, form } = await this.#exportTask(question);
    const { reading } = this.#parts;
    if (!reading.isQuick(path, query)) return { fileName, body: await reading.export({ path, query, form }, onBroken) };
    const { chunks } = await this.export(question);
    // An invalid filter fails at the first row: before anything is sent, it can still be reported.
    return { fileName, body: bodyOf(chunks.next(), chunks, onBroken) };
  }

  async #exportTask({ id, format, what, rule, fields, filter, search, sort, raw, ...named }: ExportQuestion) {
    const { exportFields, exportFileName, exportLabel } = await import("../../site/export/export-rows.ts");
    const names = exportFields(what, fields.length === 0 ? null : fields);
    const { crawls } = this.#parts;
    const { domain, startedAt } = crawls.get(id);
    return {
      fileName: exportFileName(domain, named.name ?? what, startedAt, format),
      path: crawls.home.crawlDatabase(id),
      query: { what, rule, fields: names, filters: filter, search, sort },
      form: { format, fields: names, labels: named.labels ? names.map((name) => exportLabel(what, name)) : names, raw },
    };
  }

  /** Ends running queries, and closes every file. */
  close(): void {
    this.#abort.abort();
    this.#comparisons.close();
    this.#parts.readers.close();
  }

  async #comparison(
    id: number,
    other: number,
    query: ComparisonQuery | null,
    signal?: AbortSignal,
  ): Promise<ComparisonReading> {
    const { reading, crawls } = this.#parts;
    const [before, after] = [crawls.home.crawlDatabase(other), crawls.home.crawlDatabase(id)];
    const version = `${this.#version(id)} ${this.#version(other)}`;
    if (!reading.isOwn(before) || !reading.isOwn(after))
      return reading.compare({ before, after, version, query }, signal);
    const comparison = this.#comparisons.get([id, other], null, version, () => new Comparison(before, after));
    return { counts: comparison.counts, page: query === null ? null : comparison.rows(query) };
  }

  #version(id: number): string {
    const { state, crawled, discovered } = this.info(id);
    return `${state} ${crawled} ${discovered}`;
  }

  #read<Name extends ReadingName>(
    id: number,
    name: Name,
    args: ReadingArgs<Name>,
    signal?: AbortSignal,
  ): Promise<ReadingAnswer<Name>> {
    const { crawls, readers, reading } = this.#parts;
    return reading.read(name, { path: crawls.home.crawlDatabase(id), open: () => readers.get(id) }, args, signal);
  }
}

/** A running export. */
export interface CrawlExport {
  /** Without folders. */
  fileName: string;
  chunks: Generator<string>;
  /** How many rows were read so far. */
  rows(): number;
}

export interface Download extends Pick<CrawlExport, "fileName"> {
  body: ReadableStream<Uint8Array>;
}

/** Reads more only after the client has taken what was read. */
function bodyOf(
  first: IteratorResult<string>,
  chunks: Generator<string>,
  onBroken: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let piece = first;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (piece.done) {
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(piece.value));
      try {
        piece = chunks.next();
      } catch {
        // The status has already been sent, so only a broken connection can show that rows are missing.
        onBroken();
        controller.close();
      }
    },
    cancel: () => void chunks.return(undefined),
  });
}
