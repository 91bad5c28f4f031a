/** One visit to a URL: fetches it and reads its content. No decision is made here, and nothing is stored. */
import type { CrawlContext } from "../kernel/product.ts";
import type { Task } from "../kernel/task.ts";
import type { HttpRequest, HttpResponse } from "../net/client.ts";
import type { CookieJar } from "../net/cookie-jar.ts";
import { headerValue, headerValues } from "../net/headers.ts";
import { RenderError, type RenderRequest, type RenderResult } from "../render/contract.ts";
import { decodeHtml } from "../web/charset.ts";
import { cssUrls } from "../web/css.ts";
import {
  emptyDirectives,
  parseRobotsHeader,
  parseRobotsMeta,
  type RobotsDirectives,
} from "../web/robots-directives.ts";
import { readSitemap } from "../web/sitemap/sitemap.ts";
import { type BaseUrl, type Canonicalize, prepareBase } from "../web/url.ts";
import { type CookieWallOptions, CookieWalls } from "./credentials/cookie-walls.ts";
import type { SiteClient } from "./credentials/secret-headers.ts";
import { isResource, type Kind, type SiteMeta } from "./link-kinds.ts";
import type { LinkTargets } from "./link-targets.ts";
import { extractPage } from "./page/extract-page.ts";
import { LINK_RENDERED } from "./page/link-types.ts";
import { DEFAULT_PAGE_OPTIONS, type PageOptions } from "./page/options.ts";
import type { PageContent } from "./page/page-content.ts";
import type { SiteConfig } from "./site-config.ts";
import {
  type FoundLinks,
  foundLinks,
  type LinkObject,
  linkKey,
  linkObjects,
  NO_LINKS,
  plainLink,
  renderedOnly,
  resolveLinks,
} from "./site-links.ts";
import type { Baseline, EarlierPage } from "./store/baseline.ts";

/** Renders a document that was already fetched. */
export type Render = (document: FetchedDocument, signal: AbortSignal) => Promise<RenderResult>;
type FetchedDocument = Omit<RenderRequest, "signal">;

export interface Visit {
  response: HttpResponse;
  contentType: string | null;
  /** The target of a redirect, when it is a URL that can be crawled. */
  redirect: string | null;
  /** The page as it was sent, as UTF-8. */
  html: Buffer | null;
  charset: { charset: string; source: string } | null;
  /** Of the page as it was sent. */
  content: PageContent | null;
  /** The page after its scripts ran. `raw` is what it said to search engines before; what the visit says is said after. */
  rendered: {
    result: RenderResult;
    content: PageContent;
    raw: { directives: RobotsDirectives; canonical: string | null };
  } | null;
  /** Why the page could not be rendered; its facts are then those of the page as it was sent. */
  renderError: string | null;
  directives: RobotsDirectives;
  headerDirectives: RobotsDirectives;
  links: FoundLinks;
  /** Whether there were more links than were read; null when links were not read. */
  linksTruncated: boolean | null;
  canonical: string | null;
  /** With 304: the facts of the earlier crawl, which are still valid. */
  earlier: EarlierPage | null;
}

export interface VisitorOptions {
  config: SiteConfig;
  client: SiteClient;
  canonicalize: Canonicalize;
  targets: LinkTargets;
  render: Render | null;
  baseline: Baseline | null;
  /** What is needed to get through cookie walls; null when cookies are off. */
  walls: Pick<CookieWallOptions, "cookies" | "mayFetch"> | null;
}

const HTML_TYPES = new Set(["text/html", "application/xhtml+xml"]);

export class Visitor {
  readonly #config: SiteConfig;
  readonly #client: SiteClient;
  readonly #canonicalize: Canonicalize;
  readonly #targets: LinkTargets;
  readonly #render: Render | null;
  readonly #baseline: Baseline | null;
  readonly #cookies: CookieJar | null;
  readonly #walls: CookieWalls | null;
  readonly #pageOptions: PageOptions;

  constructor({ config, client, canonicalize, targets, render, baseline, walls }: VisitorOptions) {
    this.#config = config;
    this.#client = client;
    this.#canonicalize = canonicalize;
    this.#targets = targets;
    this.#render = render;
    this.#baseline = baseline;
    this.#cookies = walls?.cookies ?? null;
    this.#walls =
      walls &&
      new CookieWalls({
        ...walls,
        canonicalize,
        maxRedirects: config.maxRedirects,
        fetch: (url, signal) => client.fetch(this.#request(url, signal)),
      });
    this.#pageOptions = {
      ...DEFAULT_PAGE_OPTIONS,
      robotsToken: config.robotsAgent,
      hash: config.hashContent ? { algorithm: config.contentHash, strip: config.contentHashStrip } : null,
      limits: { ...DEFAULT_PAGE_OPTIONS.limits, links: config.maxLinksPerPage },
    };
  }

  /** Rejects with a FetchError when there is no response. */
  async visit(task: Task<SiteMeta>, read: boolean, context: CrawlContext): Promise<Visit> {
    const response = await this.#answer(task, read, context);
    return this.#read(task, read, response, context.signal);
  }

  /** A redirect that only sets a cookie is not the page's answer. */
  async #answer(task: Task<SiteMeta>, read: boolean, context: CrawlContext): Promise<HttpResponse> {
    const walls = this.#walls;
    if (walls === null || !read) return this.#fetch(task, read, context);
    const sent = walls.sent(task.key);
    const answer = walls.takeKept(task.key) ?? (await this.#fetch(task, read, context));
    if (answer.location === null) return answer;
    return walls.pass(task, answer, sent, () => this.#fetch(task, read, context), context);
  }

  async #fetch(task: Task<SiteMeta>, read: boolean, { pace, signal }: CrawlContext): Promise<HttpResponse> {
    const request = this.#request(task.key, signal);
    // Of another host's URL only the answer counts: its headers are enough, unless it does not know HEAD. A sitemap is
    // read whatever its headers say: packed ones come as all kinds of types.
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
      redirect: null,
      html: null,
      charset: null,
      content: null,
      rendered: null,
      renderError: null,
      directives: emptyDirectives(),
      headerDirectives: parseRobotsHeader(headerValues(response.headers, "x-robots-tag"), this.#config.robotsAgent),
      links: NO_LINKS,
      linksTruncated: null,
      canonical: null,
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
      return { ...visit, earlier, directives, links, canonical: earlier.canonical };
    }
    // A page without a word is one all the same; an error, or what HEAD was enough for, has just not been read.
    if (!read || (response.body.length === 0 && response.status !== 200)) return visit;
    if (response.status >= 400 && !this.#config.readErrorPages) return visit;
    const kind = task.meta.kind;
    if (kind === "sitemap") await this.#readSitemap(task, visit);
    else if (isStyles(kind, contentType)) this.#readStyles(task, visit);
    else if (isPage(kind, response, contentType)) await this.#readHtml(task, visit, signal);
    return visit;
  }

  async #readHtml(task: Task<SiteMeta>, visit: Visit, signal: AbortSignal): Promise<void> {
    const { response } = visit;
    const { utf8, charset, source } = decodeHtml(response.body, headerValue(response.headers, "content-type"));
    const xml = visit.contentType === "application/xhtml+xml";
    const content = extractPage(utf8, xml ? { ...this.#pageOptions, xml } : this.#pageOptions);
    visit.html = utf8;
    visit.charset = { charset, source };
    visit.content = content;
    visit.directives = this.#metaDirectives(content.metaRobots);
    const base = prepareBase(task.key, content.baseHref, charset);
    visit.links = resolveLinks(content.links, base, this.#targets, false);
    visit.linksTruncated = content.linksTruncated;
    visit.canonical = content.canonical === null ? null : this.#resolve(content.canonical, base);
    if (this.#render === null || response.status >= 400) return;
    await this.#renderPage(task, visit, signal);
  }

  async #renderPage(task: Task<SiteMeta>, visit: Visit, signal: AbortSignal): Promise<void> {
    // The cookies of the crawl, so that the page's own requests come from the same visitor.
    const cookies = this.#cookies?.cookiesFor(new URL(task.key));
    const result = await this.#render!({ ...documentOf(visit), url: task.key, cookies }, signal).catch((error) => {
      if (!(error instanceof RenderError)) throw error;
      visit.renderError = error.code;
      return null;
    });
    if (result === null) return;
    const content = extractPage(result.html, this.#pageOptions);
    const base = prepareBase(task.key);
    // A page that made a document of its own may have no address of the web.
    const address = /^https?:/i.test(result.finalUrl) ? result.finalUrl : task.key;
    const linkBase = prepareBase(address, result.baseUrl, visit.charset!.charset);
    const links = linkObjects(resolveLinks(content.links, linkBase, this.#targets, true));
    const sent = this.#sentLinks(task, visit, linkBase, links);
    const known = new Set([task.key, ...[...sent, ...links].map(({ target }) => target.url)]);
    const seen = (urls: string[], kind: "request" | "route"): LinkObject[] =>
      urls
        .map((url) => this.#targets.of(url, base))
        .filter((target) => target !== null && !known.has(target.url))
        .map((target) => plainLink(target!, kind, LINK_RENDERED));
    const requests = result.requests.filter(({ type, method }) => type !== "document" && method === "GET");
    visit.rendered = { result, content, raw: { directives: visit.directives, canonical: visit.canonical } };
    visit.directives = this.#metaDirectives(content.metaRobots);
    visit.canonical = content.canonical === null ? null : this.#resolve(content.canonical, linkBase);
    visit.links = foundLinks([
      ...sent,
      ...renderedOnly(sent, links),
      ...seen(result.addresses, "route"),
      ...seen(
        requests.map(({ url }) => url),
        "request",
      ),
    ]);
    if (result.redirectedTo === null) return;
    const target = this.#resolve(result.redirectedTo, base);
    // A page that reloads itself does not lead anywhere else.
    if (target !== task.key) visit.redirect = target;
  }

  /** Links of the page as it was sent. One that is still there leads where the page's address and base now say. */
  #sentLinks(task: Task<SiteMeta>, visit: Visit, base: BaseUrl, rendered: readonly LinkObject[]): LinkObject[] {
    const { links, baseHref } = visit.content!;
    const sent = linkObjects(visit.links);
    if (prepareBase(task.key, baseHref).href === base.href) return sent;
    const now = linkObjects(resolveLinks(links, base, this.#targets, false));
    const still = new Set(rendered.map(linkKey));
    // An href that is a URL on one base only would set the two lists apart.
    if (now.length !== sent.length) return sent.filter((link) => still.has(linkKey(link)));
    return sent.map((link, at) => (still.has(linkKey(now[at]!)) ? now[at]! : link));
  }

  #metaDirectives(contents: string[]): RobotsDirectives {
    const metas = contents.map((content) => ({ name: "robots", content }));
    return parseRobotsMeta(metas, this.#config.robotsAgent);
  }

  #readStyles(task: Task<SiteMeta>, visit: Visit): void {
    const base = prepareBase(task.key);
    const links: LinkObject[] = [];
    for (const { url, kind } of cssUrls(visit.response.body.toString("utf8"))) {
      const target = this.#targets.of(url, base);
      if (target !== null) links.push(plainLink(target, kind === "import" ? "stylesheet" : kind));
    }
    visit.links = foundLinks(links);
  }

  async #readSitemap(task: Task<SiteMeta>, visit: Visit): Promise<void> {
    if (visit.response.status !== 200) return;
    const sitemap = await readSitemap(visit.response.body);
    const base = prepareBase(task.key);
    const links: LinkObject[] = [];
    const add = (href: string, kind: "sitemap" | "sitemap-entry") => {
      const target = this.#targets.of(href, base);
      if (target !== null) links.push(plainLink(target, kind));
    };
    for (const { loc } of sitemap.urls) add(loc, "sitemap-entry");
    for (const loc of sitemap.sitemaps) add(loc, "sitemap");
    visit.links = foundLinks(links);
    visit.linksTruncated = sitemap.truncated;
  }

  #resolve(href: string, base: BaseUrl): string | null {
    const resolved = this.#canonicalize(href, base);
    return typeof resolved === "string" ? resolved : null;
  }
}

/** The validators that a server sent last time, so that it can answer that nothing changed. */
export interface Validators {
  etag: string | null;
  lastModified: string | null;
}

/** The page with the type and encoding found here: a browser might guess another, and read other links. */
function documentOf({ response, contentType, charset }: Visit): FetchedDocument {
  const { url, status, body } = response;
  const others = response.headers.filter(([name]) => name.toLowerCase() !== "content-type");
  const type = `${contentType ?? "text/html"}; charset=${charset!.charset}`;
  return { url, status, headers: [...others, ["content-type", type]], body };
}

/** The media type alone, in lower case. */
function contentTypeOf(response: HttpResponse): string | null {
  const value = headerValue(response.headers, "content-type");
  return value === null ? null : value.split(";", 1)[0]!.trim().toLowerCase() || null;
}

/** The headers announce something that can be read. */
const isWanted = (head: HttpResponse): boolean => head.status < 300 && isReadable(contentTypeOf(head));

/** Servers that do not know HEAD answer it with all kinds of errors. One that says "later" is not requested again at once. */
const isDoubtful = (status: number): boolean => status >= 400 && status !== 429 && status !== 503;

/** A page served in place of a missing style sheet is not a style sheet. */
const isStyles = (kind: Kind, contentType: string | null): boolean =>
  contentType === "text/css" || (kind === "stylesheet" && !HTML_TYPES.has(contentType ?? ""));

/** What was found as an image or a prefetch may still be a page; an error page served in place of an image is not. */
const isPage = (kind: Kind, { status, body }: HttpResponse, contentType: string | null): boolean =>
  isResource(kind) ? status < 300 && HTML_TYPES.has(contentType ?? "") : isHtml(contentType, body);

const isHtml = (contentType: string | null, body: Buffer): boolean =>
  contentType === null
    ? body.subarray(0, 512).toString("latin1").trimStart().startsWith("<")
    : HTML_TYPES.has(contentType);

const isReadable = (contentType: string | null): boolean =>
  contentType === null ||
  HTML_TYPES.has(contentType) ||
  contentType === "text/css" ||
  /xml|text\/plain|gzip/.test(contentType);
