/** One visit to a URL: fetches it and reads its content. It decides nothing and stores nothing. */
import type { CrawlContext } from "../../kernel/product.ts";
import type { Task } from "../../kernel/task.ts";
import { type BodyShare, SMALL_BODY_BYTES } from "../../net/body-budget.ts";
import type { HttpRequest, HttpResponse } from "../../net/client.ts";
import { headerValue, headerValues } from "../../net/headers.ts";
import { challengeOf } from "../../politeness/challenge.ts";
import type { RenderResult } from "../../render/contract.ts";
import { type DecodedHtml, decodeHtml } from "../../web/charset.ts";
import { cssUrls } from "../../web/css.ts";
import { readLlms } from "../../web/llms.ts";
import {
  emptyDirectives,
  parseRobotsHeader,
  parseRobotsMeta,
  type RobotsDirectives,
} from "../../web/robots-directives.ts";
import { type BaseUrl, type Canonicalize, hostOf, prepareBase } from "../../web/url.ts";
import { type CookieWallOptions, CookieWalls } from "../credentials/cookie-walls.ts";
import type { SiteClient } from "../credentials/secret-headers.ts";
import type { PageRow } from "../facts/fact-rows.ts";
import { isListing, type Kind, type SiteMeta, siteMeta } from "../links/link-kinds.ts";
import type { LinkTargets } from "../links/link-targets.ts";
import {
  type FoundLinks,
  foundLinks,
  type LinkObject,
  linkObjects,
  NO_LINKS,
  plainLink,
  resolveLinks,
} from "../links/site-links.ts";
import { extractPage, type PageReading } from "../page/extract-page.ts";
import { linksInHeader } from "../page/link-header.ts";
import { DEFAULT_PAGE_OPTIONS, type PageOptions } from "../page/options.ts";
import type { PageContent } from "../page/page-content.ts";
import { type ImmediateRefresh, immediateRefresh, parseRefresh } from "../page/refresh.ts";
import { PageReader } from "../page-reader/page-reader.ts";
import type { SiteConfig } from "../site-config.ts";
import type { Baseline, EarlierPage } from "../store/baseline.ts";
import { contentTypeOf, isDoubtful, isPage, isStyles, isWanted } from "./answer-kinds.ts";
import { MOST_TEXT_BYTES, shedBody } from "./held-bodies.ts";
import { PageRendering, type Render } from "./page-rendering.ts";
import type { SiteRenderProblem } from "./render-problems.ts";
import { type SitemapReading, sitemapLinks } from "./sitemap-links.ts";

export interface Visit {
  response: HttpResponse;
  contentType: string | null;
  /**
   * Who sent a bot check instead of the page; null when the answer is the page's own. Nothing else is read from a
   * check.
   */
  challenge: string | null;
  /** The target of a redirect, when it is a URL that can be crawled. */
  redirect: string | null;
  /** The page as it was sent, as UTF-8. */
  html: Buffer | null;
  charset: Pick<DecodedHtml, "charset" | "source"> | null;
  /** For the page as it was sent. */
  content: PageContent | null;
  /**
   * The page after its scripts ran. `raw` is what it said to search engines before that; the visit's other facts are
   * from afterwards.
   */
  rendered: {
    result: RenderResult;
    content: PageContent;
    raw: Pick<Visit, "directives" | "canonical" | "refresh">;
  } | null;
  /** What is wrong with its rendering. If that failed, `rendered` is null, and its facts are those of the page as it was sent. */
  renderProblem: SiteRenderProblem | null;
  directives: RobotsDirectives;
  headerDirectives: RobotsDirectives;
  links: FoundLinks;
  /** Whether there were more links than were read; null when links were not read. */
  linksTruncated: boolean | null;
  /** How many there were, if they were counted. */
  linksLeftOut: number | null;
  canonical: string | null;
  /** Named by a header; it counts when the page itself names none. */
  headerCanonical: string | null;
  refresh: ImmediateRefresh | null;
  /** Null for what is not a sitemap. */
  sitemap: Pick<SitemapReading, "kind" | "problems"> | null;
  /** What is wrong with an llms.txt, one line each; null when nothing is wrong, and for every other URL. */
  llmsProblems: string | null;
  /** For a 304: the facts of the earlier crawl, which are still valid. */
  earlier: EarlierPage | null;
}

export interface VisitorOptions {
  config: SiteConfig;
  client: SiteClient;
  canonicalize: Canonicalize;
  targets: LinkTargets;
  render: Render | null;
  baseline: Baseline | null;
  /** The whole page and its text are kept until it is applied, however large they are. */
  keepsBodies: boolean;
  /** One of many crawls of this process, such as a partition of a fleet: a reader thread for each would be too many. */
  isPart?: boolean;
  /** What is needed to get through cookie walls; null when cookies are off. */
  walls: Pick<CookieWallOptions, "cookies" | "mayFetch"> | null;
}

export class Visitor {
  readonly #config: SiteConfig;
  readonly #client: SiteClient;
  readonly #canonicalize: Canonicalize;
  readonly #targets: LinkTargets;
  readonly #rendering: PageRendering | null;
  readonly #baseline: Baseline | null;
  readonly #walls: CookieWalls | null;
  readonly #keepsBodies: boolean;
  readonly #pageOptions: PageOptions;
  readonly #mostUtf8Bytes: number;
  readonly #reader: PageReader;

  constructor({ config, client, canonicalize, targets, render, baseline, keepsBodies, isPart, walls }: VisitorOptions) {
    this.#config = config;
    this.#client = client;
    this.#canonicalize = canonicalize;
    this.#targets = targets;
    this.#baseline = baseline;
    this.#walls =
      walls &&
      new CookieWalls({
        ...walls,
        canonicalize,
        maxRedirects: config.maxRedirects,
        fetch: (url, signal) => client.fetch(this.#request(url, signal)),
      });
    this.#keepsBodies = keepsBodies;
    this.#pageOptions = {
      ...DEFAULT_PAGE_OPTIONS,
      robotsToken: config.robotsAgent,
      hash: config.hashContent ? { algorithm: config.contentHash, strip: config.contentHashStrip } : null,
      limits: {
        ...DEFAULT_PAGE_OPTIONS.limits,
        links: config.maxLinksPerPage,
        text: keepsBodies ? Number.POSITIVE_INFINITY : MOST_TEXT_BYTES,
      },
    };
    this.#mostUtf8Bytes = config.maxBytes * LONGER_AS_UTF8;
    this.#reader = new PageReader({
      ...{ page: this.#pageOptions, mostBytes: this.#mostUtf8Bytes },
      ...(isPart && { hasThread: false }),
    });
    this.#rendering =
      render &&
      new PageRendering({
        ...{ render, targets, pageOptions: this.#pageOptions, cookies: walls?.cookies ?? null },
        resolve: (href, base) => this.#resolve(href, base),
        directives: (contents) => this.#metaDirectives(contents),
      });
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  /** Rejects with a FetchError when there is no response. */
  async visit(task: Task<SiteMeta>, read: boolean, context: CrawlContext, share?: BodyShare): Promise<Visit> {
    const response = await this.#answer(task, read, context, share);
    return this.#read(task, read, response, context.signal);
  }

  /** Requests an address that is not part of the crawl. The site's cookies stay as they are. */
  async probe(url: string, context: CrawlContext): Promise<Visit> {
    const found = { key: url, depth: 0, parent: 0, hops: 0, meta: siteMeta("spider", "anchor") };
    const task = { ...found, id: 0, place: 0, lane: hostOf(url), attempt: 0, notBefore: 0 };
    await context.pace(task.lane);
    // A larger answer would have to wait for memory held by pages that may wait for this answer.
    const mayGrow = (bytes: number) => bytes <= SMALL_BODY_BYTES;
    const response = await this.#client.fetch({ url, signal: context.signal, dropsCookies: true, mayGrow });
    return this.#read(task, true, response, context.signal);
  }

  /** A redirect that only sets a cookie is not the page's answer. */
  async #answer(
    task: Task<SiteMeta>,
    read: boolean,
    context: CrawlContext,
    share: BodyShare | undefined,
  ): Promise<HttpResponse> {
    const walls = this.#walls;
    const fetch = () => this.#fetch(task, read, context, share);
    if (walls === null || !read) return fetch();
    const sent = walls.sent(task.key);
    const answer = walls.takeKept(task.key) ?? (await fetch());
    if (answer.location === null) return answer;
    return walls.pass(task, answer, sent, fetch, context);
  }

  async #fetch(
    task: Task<SiteMeta>,
    read: boolean,
    { pace, signal }: CrawlContext,
    share: BodyShare | undefined,
  ): Promise<HttpResponse> {
    const request = { ...this.#request(task.key, signal), share };
    // For a URL on another host, only the answer counts, so its headers are enough unless the host does not know HEAD.
    // A sitemap is read whatever its headers say, because compressed sitemaps have all kinds of types.
    if (read && (!this.#config.checkHead || task.meta.kind === "sitemap")) return this.#client.fetch(request);
    const head = await this.#client.fetch({ ...request, method: "HEAD" });
    if (!isDoubtful(head.status) && !(read && isWanted(head))) return head;
    await pace(task.lane);
    return this.#client.fetch(request);
  }

  #request(url: string, signal: AbortSignal): HttpRequest {
    return { url, signal, ...this.#baseline?.validators(url) };
  }

  async #read(task: Task<SiteMeta>, read: boolean, response: HttpResponse, signal: AbortSignal): Promise<Visit> {
    const contentType = contentTypeOf(response);
    const visit: Visit = {
      response,
      contentType,
      challenge: null,
      redirect: null,
      html: null,
      charset: null,
      content: null,
      rendered: null,
      renderProblem: null,
      directives: emptyDirectives(),
      headerDirectives: parseRobotsHeader(headerValues(response.headers, "x-robots-tag"), this.#config.robotsAgent),
      links: NO_LINKS,
      linksTruncated: null,
      linksLeftOut: null,
      canonical: null,
      headerCanonical: null,
      refresh: null,
      sitemap: null,
      llmsProblems: null,
      earlier: null,
    };
    if (response.location !== null) {
      const target = this.#canonicalize(response.location, prepareBase(task.key));
      visit.redirect = typeof target === "string" ? target : null;
      return visit;
    }
    const earlier = response.status === 304 ? (this.#baseline?.page(task.key) ?? null) : null;
    if (earlier !== null) {
      const directives = this.#metaDirectives(earlier.row.robots_meta === null ? [] : [earlier.row.robots_meta]);
      if (earlier.row.robots_header !== null && headerValue(response.headers, "x-robots-tag") === null) {
        // A 304 need not repeat the headers of the page (RFC 9110 section 15.4.5).
        visit.headerDirectives = parseRobotsHeader(earlier.row.robots_header, this.#config.robotsAgent);
      }
      const links = foundLinks(
        earlier.links.map(({ url, ...link }) => ({ ...link, target: this.#targets.ofCanonical(url) })),
      );
      const refresh = this.#headerRefresh(task, response, earlier.row) ?? earlierRefresh(earlier);
      return { ...visit, earlier, directives, links, refresh, canonical: earlier.canonical };
    }
    if (read && response.status < 300) {
      const named = this.#headerLinks(task, response);
      visit.headerCanonical = named.find(({ kind }) => kind === "canonical")?.target.url ?? null;
      visit.canonical = visit.headerCanonical;
      if (named.length > 0) visit.links = foundLinks(named);
      visit.refresh = this.#headerRefresh(task, response, null);
    }
    const kind = task.meta.kind;
    const isGoodPage = read && response.status < 300 && !isListing(kind) && isPage(kind, response, contentType);
    // For a page, the visible text is measured first.
    if (!isGoodPage) visit.challenge = challengeOf(response);
    if (visit.challenge !== null) return visit;
    // A page without words is still a page. An error, or an answer for which HEAD was enough, has just not been read.
    if (!read || (response.body.length === 0 && response.status !== 200)) return visit;
    if (response.status >= 400 && !this.#config.readErrorPages) return visit;
    if (kind === "sitemap") await this.#readSitemap(task, visit);
    else if (kind === "llms") this.#readLlms(task, visit);
    else if (isStyles(kind, contentType)) this.#readStyles(task, visit);
    else if (isPage(kind, response, contentType)) await this.#readHtml(task, visit, signal);
    return visit;
  }

  async #readHtml(task: Task<SiteMeta>, visit: Visit, signal: AbortSignal): Promise<void> {
    const { response } = visit;
    const type = headerValue(response.headers, "content-type");
    const xml = visit.contentType === "application/xhtml+xml";
    const sent = this.#reader.send(response.body, type, xml);
    const { utf8, charset, source, isCut, content } = sent === null ? this.#readHere(response, type, xml) : await sent;
    if (isCut) response.truncated ??= "decoded";
    visit.challenge = challengeOf(response, content.facts.text_length ?? 0);
    if (visit.challenge !== null) return;
    visit.html = utf8;
    visit.charset = { charset, source };
    visit.content = content;
    visit.directives = this.#metaDirectives(content.metaRobots);
    const base = prepareBase(task.key, content.baseHref, charset);
    visit.links = withLinks(resolveLinks(content.links, base, this.#targets, false), visit.links);
    visit.linksTruncated = content.linksLeftOut > 0;
    visit.linksLeftOut = content.linksLeftOut;
    if (content.canonical !== null) visit.canonical = this.#resolve(content.canonical, base);
    visit.refresh ??= immediateRefresh("meta refresh", content.facts.meta_refresh, (url) => this.#resolve(url, base));
    if (response.status < 400) await this.#rendering?.run(task, visit, signal);
  }

  #readHere(response: HttpResponse, contentType: string | null, xml: boolean): PageReading {
    const decoded = decodeHtml(response.body, contentType, this.#mostUtf8Bytes);
    const isCopy = decoded.utf8.buffer !== response.body.buffer;
    if (isCopy && this.#rendering === null && !this.#keepsBodies) shedBody(response);
    return { ...decoded, content: extractPage(decoded.utf8, { ...this.#pageOptions, xml }) };
  }

  /** The URLs of the web that `Link` and `Refresh` headers name. */
  #headerLinks(task: Task<SiteMeta>, { headers }: HttpResponse): LinkObject[] {
    const written = headerValues(headers, "link");
    const refresh = parseRefresh(headerValue(headers, "refresh") ?? "")?.url ?? null;
    if (written.length === 0 && refresh === null) return [];
    const base = prepareBase(task.key);
    const link = (kind: Kind, href: string, path: string): LinkObject[] => {
      const target = this.#targets.of(href, base);
      return target === null || target.origin === "" ? [] : [{ ...plainLink(target, kind), position: "head", path }];
    };
    const named = linksInHeader(written.join(",\n")).flatMap(({ kind, href }) => link(kind, href, "Link header"));
    return refresh === null ? named : [...named, ...link("refresh", refresh, "Refresh header")];
  }

  /** A header counts before the page itself. `earlier`: a 304 need not repeat it. */
  #headerRefresh(task: Task<SiteMeta>, { headers }: HttpResponse, earlier: PageRow | null): ImmediateRefresh | null {
    const content = headerValue(headers, "refresh") ?? earlier?.refresh_header ?? null;
    return immediateRefresh("Refresh", content, (url) => this.#resolve(url, prepareBase(task.key)));
  }

  #metaDirectives(contents: string[]): RobotsDirectives {
    const metas = contents.map((content) => ({ name: "robots", content }));
    return parseRobotsMeta(metas, this.#config.robotsAgent);
  }

  #readStyles(task: Task<SiteMeta>, visit: Visit): void {
    const base = prepareBase(task.key);
    const links: LinkObject[] = [];
    const { body } = visit.response;
    const most = this.#config.maxLinksPerPage;
    const urls = cssUrls(body.toString("utf8", 0, MOST_STYLE_BYTES), most + 1);
    for (const { url, kind } of urls.slice(0, most)) {
      const target = this.#targets.of(url, base);
      if (target !== null) links.push(plainLink(target, kind === "import" ? "stylesheet" : kind));
    }
    visit.links = foundLinks(links);
    if (urls.length > most || body.length > MOST_STYLE_BYTES) visit.linksTruncated = true;
  }

  async #readSitemap(task: Task<SiteMeta>, visit: Visit): Promise<void> {
    if (visit.response.status !== 200) return;
    const { body } = visit.response;
    const reading = await sitemapLinks({ url: task.key, body, mostUrls: this.#config.maxUrls }, this.#targets);
    visit.links = foundLinks(reading.links);
    visit.linksTruncated = reading.isTruncated;
    visit.sitemap = reading;
  }

  #readLlms(task: Task<SiteMeta>, visit: Visit): void {
    if (visit.response.status !== 200) return;
    const { links, problems } = readLlms(visit.response.body.toString());
    const base = prepareBase(task.key);
    const targets = links.map((href) => this.#targets.of(href, base)).filter((target) => target !== null);
    visit.links = foundLinks(targets.map((target) => plainLink(target, "llms-entry")));
    visit.llmsProblems = problems.join("\n") || null;
  }

  #resolve(href: string, base: BaseUrl): string | null {
    const resolved = this.#canonicalize(href, base);
    return typeof resolved === "string" ? resolved : null;
  }
}

/** The links of a page together with those of its headers. */
const withLinks = (links: FoundLinks, others: FoundLinks): FoundLinks =>
  others.targets.length === 0 ? links : foundLinks([...linkObjects(links), ...linkObjects(others)], links);

/** Addresses in the page are resolved among its links. */
const earlierRefresh = ({ row, links }: EarlierPage): ImmediateRefresh | null =>
  immediateRefresh("meta refresh", row.meta_refresh, () => links.find(({ kind }) => kind === "refresh")?.url ?? null);

/** The validators that a server sent last time, so that it can answer that nothing changed. */
export interface Validators {
  etag: string | null;
  lastModified: string | null;
}

/** Far larger than any style sheet. */
const MOST_STYLE_BYTES = 8 << 20;

/** A page in another encoding may become longer as UTF-8; a page with many two-byte letters seldom exceeds this. */
const LONGER_AS_UTF8 = 1.25;
