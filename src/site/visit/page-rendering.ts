/** A page after its scripts ran: its facts and links replace those of the page as it was sent. */
import type { Task } from "../../kernel/task.ts";
import type { CookieJar } from "../../net/cookie-jar.ts";
import { RenderError, type RenderRequest, type RenderResult } from "../../render/contract.ts";
import type { RobotsDirectives } from "../../web/robots-directives.ts";
import { type BaseUrl, prepareBase } from "../../web/url.ts";
import type { SiteMeta } from "../links/link-kinds.ts";
import type { LinkTargets } from "../links/link-targets.ts";
import {
  foundLinks,
  type LinkObject,
  linkKey,
  linkObjects,
  plainLink,
  renderedOnly,
  resolveLinks,
} from "../links/site-links.ts";
import { extractPage } from "../page/extract-page.ts";
import { LINK_RENDERED } from "../page/link-types.ts";
import type { PageOptions } from "../page/options.ts";
import { immediateRefresh } from "../page/refresh.ts";
import { RENDER_FAILURES } from "./render-problems.ts";
import type { Visit } from "./site-visit.ts";

/** Renders a document that was already fetched. */
export type Render = (document: FetchedDocument, signal: AbortSignal) => Promise<RenderResult>;
type FetchedDocument = Omit<RenderRequest, "signal">;

export interface PageRenderingOptions {
  render: Render;
  cookies: CookieJar | null;
  targets: LinkTargets;
  pageOptions: PageOptions;
  /** The canonical form of an href; null when it is not a URL that can be crawled. */
  resolve: (href: string, base: BaseUrl) => string | null;
  /** What robots meta tags say. */
  directives: (contents: string[]) => RobotsDirectives;
}

export class PageRendering {
  readonly #options: PageRenderingOptions;

  constructor(options: PageRenderingOptions) {
    this.#options = options;
  }

  async run(task: Task<SiteMeta>, visit: Visit, signal: AbortSignal): Promise<void> {
    // The cookies of the crawl, so that the page's own requests come from the same visitor.
    const { render, targets, pageOptions, directives, resolve } = this.#options;
    const cookies = this.#options.cookies?.cookiesFor(new URL(task.key));
    const result = await render({ ...documentOf(visit), url: task.key, cookies }, signal).catch((error) => {
      if (!(error instanceof RenderError)) throw error;
      visit.renderProblem = RENDER_FAILURES[error.code];
      return null;
    });
    if (result === null) return;
    const content = extractPage(result.html, pageOptions);
    const base = prepareBase(task.key);
    // A page that wrote its own document may have no web address.
    const address = /^https?:/i.test(result.finalUrl) ? result.finalUrl : task.key;
    const linkBase = prepareBase(address, result.baseUrl, visit.charset!.charset);
    const resolved = resolveLinks(content.links, linkBase, targets, true);
    const links = linkObjects(resolved);
    const sent = this.#sentLinks(task, visit, linkBase, links);
    const known = new Set([task.key, ...[...sent, ...links].map(({ target }) => target.url)]);
    const seen = (urls: string[], kind: "request" | "route"): LinkObject[] =>
      urls
        .map((url) => targets.of(url, base))
        .filter((target) => target !== null && !known.has(target.url))
        .map((target) => plainLink(target!, kind, LINK_RENDERED));
    const requests = result.requests.filter(({ type, method }) => type !== "document" && method === "GET");
    visit.renderProblem = result.problem;
    visit.rendered = {
      result,
      content,
      raw: { directives: visit.directives, canonical: visit.canonical, refresh: visit.refresh },
    };
    visit.directives = directives(content.metaRobots);
    visit.canonical = content.canonical === null ? visit.headerCanonical : resolve(content.canonical, linkBase);
    if (visit.refresh?.where !== "Refresh") {
      visit.refresh = immediateRefresh("meta refresh", content.facts.meta_refresh, (url) => resolve(url, linkBase));
    }
    const requested = requests.map(({ url }) => url);
    visit.links = foundLinks(
      [...sent, ...renderedOnly(sent, links), ...seen(result.addresses, "route"), ...seen(requested, "request")],
      resolved,
    );
    visit.linksLeftOut = Math.max(visit.content!.linksLeftOut, content.linksLeftOut);
    visit.linksTruncated = visit.linksLeftOut > 0;
    if (result.redirectedTo === null) return;
    const target = resolve(result.redirectedTo, base);
    // A page that reloads itself does not lead anywhere else.
    if (target !== task.key) visit.redirect = target;
  }

  /**
   * Links of the page as it was sent. A link that is still there leads where the page's current address and base say.
   */
  #sentLinks(task: Task<SiteMeta>, visit: Visit, base: BaseUrl, rendered: readonly LinkObject[]): LinkObject[] {
    const { links, baseHref } = visit.content!;
    const { targets } = this.#options;
    const sent = linkObjects(visit.links);
    if (prepareBase(task.key, baseHref).href === base.href) return sent;
    const now = linkObjects(resolveLinks(links, base, targets, false));
    const still = new Set(rendered.map(linkKey));
    // An href that is a URL on only one of the bases would set the two lists apart.
    if (now.length !== sent.length) return sent.filter((link) => still.has(linkKey(link)));
    return sent.map((link, at) => (still.has(linkKey(now[at]!)) ? now[at]! : link));
  }
}

/** The page with the type and encoding found here: a browser might guess another, and read other links. */
function documentOf({ response, contentType, charset }: Visit): FetchedDocument {
  const { url, status, body } = response;
  const others = response.headers.filter(([name]) => name.toLowerCase() !== "content-type");
  const type = `${contentType ?? "text/html"}; charset=${charset!.charset}`;
  return { url, status, headers: [...others, ["content-type", type]], body };
}
