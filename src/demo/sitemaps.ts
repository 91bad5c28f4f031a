/** robots.txt and the sitemaps: an index of two, of which one is compressed. */
import { gzipSync } from "node:zlib";
import { escapeHtml } from "./html.ts";
import { PLACES } from "./places.ts";
import { type Resource, resource } from "./resource.ts";

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** `pages` are the paths of the pages made so far, in order. */
export function* sitemapFiles(origin: string, pages: readonly string[]): Generator<[string, Resource]> {
  const journal = pages.filter((path) => path.startsWith("/blog/") && !path.startsWith("/blog/tags/"));
  // As real ones do, the shop's sitemap lags behind: it still names a page that moved and one that is gone.
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
