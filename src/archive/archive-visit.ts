/** One visit to a URL: fetches it, stores its bytes and finds its links. Decides nothing and records nothing. */
import type { Clock } from "../kernel/clock.ts";
import type { CrawlContext } from "../kernel/product.ts";
import type { Task } from "../kernel/task.ts";
import type { HttpResponse } from "../net/client.ts";
import { type HeaderPairs, headerValue } from "../net/headers.ts";
import { challengeOf } from "../politeness/challenge.ts";
import { decodeHtml } from "../web/charset.ts";
import { scanHtml, tagNamed } from "../web/html/index.ts";
import { type Canonicalize, prepareBase } from "../web/url.ts";
import { isGone } from "./failed-urls.ts";
import type { PacedFetcher } from "./fetch/paced-fetcher.ts";
import type { BlobStore, StoredBlob } from "./store/blob-store.ts";
import type { MetadataLog } from "./store/metadata.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";

export interface Visit {
  response: HttpResponse;
  proxyId: string | null;
  contentType: string;
  /**
   * Who served a bot check instead of the page; nothing else of the answer is kept then. Null when the answer is the
   * page's own.
   */
  challenge: string | null;
  /** The encoding of a page; empty for an answer that was not read. */
  charset: string;
  /** What the answer turned out to be. */
  kind: "page" | "not_modified" | "redirect" | "not_html" | "cut" | "error";
  /** Null when nothing is stored: only pages are stored, and only where there is a store. */
  stored: Pick<StoredBlob, "sha256" | "path"> | null;
  /** For a 304: the line of the fetch that stored the page. */
  earlier: MetadataRecord | null;
  /** Canonical. For a redirect, only its target. */
  links: string[];
}

/** Whether a visit brought nothing; `failsWhenGone` is for what must exist, such as the files that a page needs. */
export const hasFailed = ({ kind, response: { status } }: Visit, failsWhenGone: boolean): boolean =>
  kind === "cut" || (kind === "error" && (failsWhenGone || !isGone(status)));

export interface VisitorOptions {
  fetcher: Pick<PacedFetcher, "fetch">;
  canonicalize: Canonicalize;
  /** Null when pages are only read for their links. */
  blobs: BlobStore | null;
  metadata: Pick<MetadataLog, "lastLineOf"> | null;
  /** Whether a 304 for the page with this SHA-256 leaves nothing out. */
  isKept: (sha256: string) => boolean;
  /** Media types; `*` for all of them. */
  contentTypes: readonly string[];
  /** Finds the links of a page; by default, of an HTML page. */
  readPage?: PageReader;
  /** Called with every answer, and awaited. */
  onExchange: ((exchange: Exchange) => Promise<void>) | null;
  clock: Clock;
}

/** A request and its answer, to be kept together. */
export interface Exchange {
  /** Wall time in ms of the request. */
  at: number;
  url: string;
  /** The headers that only this request has: the conditions. */
  conditions: HeaderPairs;
  response: HttpResponse;
  /** For a 304: the SHA-256 of the page that has not changed. */
  unchangedSha256: string | null;
  /** False for what pages need, which is always kept whole. */
  isPage?: boolean;
}

/** The links of a page, canonical, and its encoding. */
export type PageReader = (bytes: Buffer, contentType: string, url: string) => { charset: string; links: string[] };

export class Visitor {
  readonly #options: VisitorOptions;
  #contentTypes: ReadonlySet<string>;

  constructor(options: VisitorOptions) {
    this.#options = options;
    this.#contentTypes = new Set(options.contentTypes);
  }

  setContentTypes(types: readonly string[]): void {
    this.#contentTypes = new Set(types);
  }

  /** Rejects with a FetchError when there is no answer. */
  async visit(task: Task, context: Pick<CrawlContext, "pace" | "signal">): Promise<Visit> {
    const earlier = await this.#stored(task.key);
    const at = this.#options.clock.now();
    const { response, proxyId } = await this.#options.fetcher.fetch(
      { url: task.key, signal: context.signal, etag: earlier?.etag, lastModified: earlier?.last_modified },
      context,
    );
    const contentType = headerValue(response.headers, "content-type") ?? "";
    const visit: Visit = {
      response,
      proxyId,
      contentType,
      challenge: challengeOf(response),
      charset: "",
      kind: this.#kindOf(response, contentType, earlier),
      stored: null,
      earlier: null,
      links: [],
    };
    if (visit.challenge !== null) return visit;
    await this.#read(task, visit, earlier);
    await this.#options.onExchange?.({
      at,
      url: task.key,
      conditions: conditionsOf(earlier),
      response,
      unchangedSha256: visit.earlier?.content_sha256 ?? null,
    });
    return visit;
  }

  async #read(task: Task, visit: Visit, earlier: MetadataRecord | null): Promise<void> {
    const { response, contentType } = visit;
    if (visit.kind === "redirect") {
      const target = this.#options.canonicalize(response.location!, prepareBase(task.key));
      visit.links = typeof target === "string" ? [target] : [];
    } else if (visit.kind === "not_modified") {
      visit.earlier = earlier;
      visit.stored = { sha256: earlier!.content_sha256, path: earlier!.stored_path };
      // The page is unchanged, so its links are too. Without them, a second archive would end at the seeds.
      const bytes = await this.#options.blobs!.read(earlier!.content_sha256);
      if (bytes !== null) this.#readLinks(task, visit, bytes, earlier!.content_type);
    } else if (visit.kind === "page") {
      visit.stored = (await this.#options.blobs?.put(response.body)) ?? null;
      this.#readLinks(task, visit, response.body, contentType);
    }
  }

  #readLinks(task: Task, visit: Visit, bytes: Buffer, contentType: string): void {
    const { readPage = (...page) => this.#readHtml(...page) } = this.#options;
    const { charset, links } = readPage(bytes, contentType, task.key);
    visit.charset = charset;
    visit.links = links;
  }

  #readHtml(...[bytes, contentType, url]: Parameters<PageReader>): ReturnType<PageReader> {
    const { utf8, charset } = decodeHtml(bytes, contentType === "" ? null : contentType);
    return { charset, links: pageLinks(utf8, url, this.#options.canonicalize) };
  }

  /** The last line of the URL, if the page it names still exists: a 304 must not leave us without a page. */
  async #stored(url: string): Promise<MetadataRecord | null> {
    const line = (await this.#options.metadata?.lastLineOf(url)) ?? null;
    if (line === null || line.content_sha256 === "" || this.#options.blobs === null) return null;
    if (!this.#options.isKept(line.content_sha256)) return null;
    return (await this.#options.blobs.has(line.content_sha256)) ? line : null;
  }

  #kindOf(response: HttpResponse, contentType: string, earlier: MetadataRecord | null): Visit["kind"] {
    const { status, location, truncated } = response;
    if (status === 304) return earlier === null ? "error" : "not_modified";
    if (location !== null) return "redirect";
    if (status < 200 || status >= 300) return "error";
    const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
    if (!this.#contentTypes.has(type) && !this.#contentTypes.has("*")) return "not_html";
    // Part of a page is not the page, and an archive must not claim to have it.
    return truncated === null ? "page" : "cut";
  }
}

const conditionsOf = (earlier: MetadataRecord | null): HeaderPairs => [
  ...(earlier?.etag ? ([["if-none-match", earlier.etag]] satisfies HeaderPairs) : []),
  ...(earlier?.last_modified ? ([["if-modified-since", earlier.last_modified]] satisfies HeaderPairs) : []),
];

/** A page with more links is not meant for human readers. */
const MAX_LINKS = 20_000;

const A = tagNamed("a");
const AREA = tagNamed("area");
const BASE = tagNamed("base");

/** Links of a page: `<a href>` and `<area href>` as canonical URLs, each once, in the order of the page. */
export function pageLinks(page: Buffer | string, url: string, canonicalize: Canonicalize): string[] {
  const hrefs: string[] = [];
  let baseHref: string | undefined;
  scanHtml(page, {
    open(tag, attributes) {
      if (tag === BASE) baseHref ??= attributes.get("href") ?? undefined;
      if ((tag !== A && tag !== AREA) || hrefs.length >= MAX_LINKS) return;
      const href = attributes.get("href");
      // A link within the page leads nowhere else.
      if (href !== null && !href.startsWith("#")) hrefs.push(href);
    },
    close() {},
    text() {},
  });
  const base = prepareBase(url, baseHref);
  const links = new Set<string>();
  for (const href of hrefs) {
    const link = canonicalize(href, base);
    if (typeof link === "string") links.add(link);
  }
  return [...links];
}
