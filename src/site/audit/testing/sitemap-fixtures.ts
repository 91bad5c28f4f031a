/** Sites for the rules about sitemaps, robots.txt and llms.txt. */
import type { Answer, Fixture, Fixtures } from "./fixture.ts";
import { page } from "./healthy-page.ts";

const good = page();
const linking = (...hrefs: string[]): string =>
  page({ body: hrefs.map((href, at) => `<a href="${href}">Page number ${at} of the shop</a>`).join(" ") });
const sitemap = (...paths: string[]): Answer => ({
  type: "application/xml",
  body: `<urlset>${paths.map((path) => `<url><loc>{origin}${path}</loc></url>`).join("")}</urlset>`,
});
const robots = (...lines: string[]): Answer => ({ type: "text/plain", body: `${lines.join("\n")}\n` });
/** A page that the sitemap lists, and what it answers. */
const listed = (answer: Answer, silent: Answer = good): Fixture => ({
  at: "/listed",
  fires: { "/": linking("/listed"), "/listed": answer, "/sitemap.xml": sitemap("/", "/listed", "/about") },
  silent: { "/": linking("/listed"), "/listed": silent, "/sitemap.xml": sitemap("/", "/listed", "/about") },
});
const withRobots = (...lines: string[]): Record<`/${string}`, Answer> => ({
  "/": good,
  "/robots.txt": robots(...lines),
});
const files = (...paths: string[]): Answer => ({
  type: "application/xml",
  body: `<sitemapindex>${paths.map((path) => `<sitemap><loc>{origin}${path}</loc></sitemap>`).join("")}</sitemapindex>`,
});

const withSitemap = { "/": good, "/sitemap.xml": sitemap("/", "/about") };
const small = { at: "/sitemap.xml", fires: withSitemap, silent: withSitemap };

const dated = (lastmod: string): Record<`/${string}`, Answer> => ({
  "/": page(),
  "/sitemap.xml": {
    type: "application/xml",
    body: `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{origin}/about</loc><lastmod>${lastmod}</lastmod></url></urlset>`,
  },
});

const llms = (...lines: string[]): Record<`/${string}`, Answer> => ({
  "/": good,
  "/llms.txt": { type: "text/markdown", body: lines.join("\n") },
});

export const SITEMAP_FIXTURES: Fixtures = {
  "sm.missing": { fires: good, silent: { "/": good, "/sitemap.xml": sitemap("/") } },
  "sm.non_indexable": listed(page({ head: '<meta name="robots" content="noindex">' })),
  "sm.non_200": listed({ status: 404, body: "" }),
  "sm.redirect": listed({ status: 301, headers: { location: "/about" } }),
  "sm.blocked": {
    at: "/private/",
    fires: {
      "/": good,
      "/sitemap.xml": sitemap("/", "/private/"),
      "/robots.txt": robots("User-agent: *", "Disallow: /private/"),
    },
    silent: { "/": good, "/sitemap.xml": sitemap("/"), "/robots.txt": robots("User-agent: *", "Disallow: /private/") },
  },
  "sm.not_in_sitemap": {
    at: "/about",
    fires: { "/": good, "/sitemap.xml": sitemap("/") },
    silent: { "/": good, "/sitemap.xml": sitemap("/", "/about") },
  },
  "sm.orphan": {
    at: "/alone",
    fires: { "/": good, "/alone": good, "/sitemap.xml": sitemap("/", "/alone") },
    silent: { "/": good, "/sitemap.xml": sitemap("/", "/about") },
  },
  "sm.multiple": {
    at: "/about",
    fires: {
      "/": good,
      "/sitemap.xml": files("/one.xml", "/two.xml"),
      "/one.xml": sitemap("/about"),
      "/two.xml": sitemap("/about"),
    },
    silent: {
      "/": good,
      "/sitemap.xml": files("/one.xml", "/two.xml"),
      "/one.xml": sitemap("/"),
      "/two.xml": sitemap("/about"),
    },
  },
  "sm.invalid": {
    at: "/sitemap.xml",
    fires: { "/": good, "/sitemap.xml": { type: "application/xml", body: "<urlset><url><loc>{origin}/</loc>" } },
    silent: withSitemap,
  },
  "sm.too_many": {
    ...small,
    facts: { fires: { link_count: 60_000 }, silent: { link_count: 100 } },
  },
  "sm.too_big": {
    ...small,
    facts: { fires: { size: 60_000_000 }, silent: { size: 1_000 } },
  },
  "sm.nested_as_url": {
    at: "/sitemap-posts.xml",
    fires: { "/": good, "/sitemap.xml": sitemap("/", "/sitemap-posts.xml"), "/sitemap-posts.xml": sitemap("/about") },
    silent: { "/": good, "/sitemap.xml": files("/sitemap-posts.xml"), "/sitemap-posts.xml": sitemap("/about") },
  },
  "sm.lastmod_wrong": {
    at: "/sitemap.xml",
    fires: dated("2126-01-01"),
    silent: dated("2026-01-01"),
  },
  "rb.missing": {
    fires: { "/": good, "/robots.txt": { status: 404, body: "" } },
    silent: withRobots("User-agent: *", "Disallow:"),
  },
  "rb.syntax": {
    fires: withRobots("User-agent: *", "Disalow /private"),
    silent: withRobots("# a comment", "User-agent: *", "Disallow: /private"),
  },
  "rb.blocks_all": {
    fires: withRobots("User-agent: Googlebot", "Disallow: /", "", "User-agent: *", "Disallow:"),
    silent: withRobots("User-agent: *", "Disallow: /private"),
  },
  "rb.ai_bots_blocked": {
    fires: withRobots("User-agent: GPTBot", "Disallow: /"),
    silent: withRobots("User-agent: SomeBot", "Disallow: /"),
  },
  "llms.missing": { fires: { "/": good, "/llms.txt": { status: 404, body: "" } }, silent: good },
  "llms.invalid": {
    at: "/llms.txt",
    fires: llms("- [About](/about)"),
    silent: llms("# Shop", "## Pages", "- [About](/about)"),
  },
  "llms.broken_link": {
    at: "/llms.txt",
    fires: llms("# Shop", "## Pages", "- [Gone](/gone)"),
    silent: llms("# Shop", "## Pages", "- [About]({origin}/about)"),
  },
};
