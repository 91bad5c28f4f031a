/** The whole demo site: every fixed resource by path, robots.txt and sitemaps, then the traps, then "not found". */

import { gzipSync } from "node:zlib";
import { assets } from "./assets.ts";
import { boatPages, companyPages } from "./company.ts";
import { guidePages } from "./guides.ts";
import { journalPages } from "./journal.ts";
import { escapeHtml } from "./layout.ts";
import { errorPage, languagePages, oddities } from "./oddities.ts";
import { PLACES } from "./places.ts";
import { type Resource, resource } from "./resource.ts";
import { shopPages } from "./shop.ts";
import { trapPage } from "./traps.ts";

/** HTML pages that answer 200, not counting the endless traps. */
export const DEMO_PAGE_COUNT = 222;

export interface DemoSite {
  /** Every fixed resource by path. */
  resources: ReadonlyMap<string, Resource>;
  /** The answer to a request target, such as "/shop?page=2". */
  resolve(target: string): Resource;
}

/** Pages contain their absolute URL, so the site depends on the origin it is served from. */
export function buildDemoSite(origin: string): DemoSite {
  const resources = new Map<string, Resource>();
  const sections = [companyPages, shopPages, journalPages, guidePages, languagePages, boatPages, oddities, assets];
  for (const section of sections) {
    for (const [path, made] of section(origin)) resources.set(path, made);
  }
  for (const [path, made] of sitemapFiles(origin, pagePaths(resources))) resources.set(path, made);
  const notFound = errorPage(404, "Not found", "The tide took it. Try the shop, or the journal.");
  return {
    resources,
    resolve: (target) => {
      const mark = target.indexOf("?");
      const path = mark < 0 ? target : target.slice(0, mark);
      const query = mark < 0 ? "" : target.slice(mark + 1);
      return resources.get(path) ?? trapPage(path, query) ?? notFound;
    },
  };
}

export function pagePaths(resources: ReadonlyMap<string, Resource>): string[] {
  const paths: string[] = [];
  for (const [path, { status, headers }] of resources) {
    if (status === 200 && headers["content-type"]!.startsWith("text/html")) paths.push(path);
  }
  return paths;
}

// robots.txt, and a sitemap index of two, one of them compressed.

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** `pages` are the paths of the pages made so far, in order. */
export function* sitemapFiles(origin: string, pages: readonly string[]): Generator<[string, Resource]> {
  const journal = pages.filter((path) => path.startsWith("/blog/") && !path.startsWith("/blog/tags/"));
  // Like real ones, the shop's sitemap is out of date: it lists a page that moved and one that is gone.
  const shop = [
    ...pages.filter((path) => path === "/" || /^\/(?:shop|products)\b/.test(path)),
    ...PLACES.orphans,
    PLACES.movedForGood,
    PLACES.missing[0],
  ];
  yield [
    "/robots.txt",
    resource(
      "text/plain; charset=utf-8",
      `# Harbour & Line\nUser-agent: *\nDisallow: /private/\nDisallow: /search\n\nSitemap: ${origin}/sitemap.xml\n`,
    ),
  ];
  yield [
    "/sitemap.xml",
    resource("application/xml", index(origin, ["/sitemaps/shop.xml", "/sitemaps/journal.xml.gz"])),
  ];
  yield ["/sitemaps/shop.xml", resource("application/xml", urls(origin, shop))];
  yield ["/sitemaps/journal.xml.gz", resource("application/gzip", gzipSync(urls(origin, journal)))];
}

function index(origin: string, paths: readonly string[]): string {
  const entries = paths.map((path) => `<sitemap><loc>${origin}${path}</loc></sitemap>\n`);
  return `${XML}<sitemapindex xmlns="${NAMESPACE}">\n${entries.join("")}</sitemapindex>\n`;
}

function urls(origin: string, paths: readonly string[]): string {
  const entries = paths.map(
    (path) => `<url><loc>${escapeHtml(origin + path)}</loc><lastmod>2026-11-02</lastmod></url>\n`,
  );
  return `${XML}<urlset xmlns="${NAMESPACE}">\n${entries.join("")}</urlset>\n`;
}
