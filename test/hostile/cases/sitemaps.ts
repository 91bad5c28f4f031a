/** Sitemaps that are bombs, loops, or use XML against its reader. Each is at /sitemap.xml of its host. */
import { gzipSync } from "node:zlib";
import { type Case, endless, head, page, redirect, type Serve, table } from "../case.ts";

const xml = (body: string | Uint8Array, type = "application/xml"): Serve => page(body, { "content-type": type });
const url = (loc: string): string => `<url><loc>${loc}</loc></url>`;
const FOUND = "<title>found</title>";

/** The sitemap and the page that it lists. `listed` is what must be known about that page. */
const map = (name: string, sitemap: Serve, listed: NonNullable<Case["site"]>[string], more = {}): Case => ({
  threat: 14,
  name,
  serve: table({ "/": "<p>home", "/sitemap.xml": sitemap, "/found": FOUND, ...more }),
  site: { "/sitemap.xml": { status: 200, error: null }, "/found": listed },
  requests: 12,
});
const READ = { status: 200, title: "found" };
const at = (name: string, path: string): string => `http://${name}.hostile.example${path}`;
const entities = Array.from({ length: 30 }, (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`).join(
  "",
);

export const SITEMAPS: readonly Case[] = [
  map("sitemap-good", xml(`<urlset>${url(at("sitemap-good", "/found"))}</urlset>`), READ),
  map(
    "sitemap-external-entity",
    xml(
      `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset>${url("http://x.hostile.example/&f;")}</urlset>`,
    ),
    undefined,
  ),
  map(
    "sitemap-entity-over-http",
    xml(`<!DOCTYPE x [<!ENTITY f SYSTEM "http://127.0.0.1/">]><urlset>${url("&f;")}</urlset>`),
    undefined,
  ),
  map(
    "sitemap-external-dtd",
    xml(
      `<!DOCTYPE urlset SYSTEM "http://127.0.0.1/x.dtd"><urlset>${url(at("sitemap-external-dtd", "/found"))}</urlset>`,
    ),
    READ,
  ),
  map(
    "sitemap-billion-laughs",
    xml(`<!DOCTYPE x [<!ENTITY e0 "ha">${entities}]><urlset>${url("http://x.hostile.example/&e30;")}</urlset>`),
    undefined,
  ),
  map("sitemap-deep", xml(`<urlset>${"<x>".repeat(300_000)}`), undefined),
  map(
    "sitemap-many-attributes",
    xml(`<urlset ${Array.from({ length: 100_000 }, (_, i) => `a${i}=""`).join(" ")}>`),
    undefined,
  ),
  map(
    "sitemap-broken-after-the-first",
    xml(`<urlset>${url(at("sitemap-broken-after-the-first", "/found"))}<url><lo`),
    READ,
  ),
  map("sitemap-with-nul", xml(`<urlset>${url(at("sitemap-with-nul", "/found"))}\0\0</urlset>`), READ),
  map("sitemap-is-html", xml("<!doctype html><title>Welcome</title><a href=/found>x</a>"), undefined),
  map("sitemap-is-binary", xml(Buffer.alloc(100_000, 0xfe)), undefined),
  map("sitemap-empty", xml(""), undefined),
  map(
    "sitemap-long-address",
    xml(`<urlset>${url(at("sitemap-long-address", `/${"x".repeat(1_000_000)}`))}</urlset>`),
    undefined,
  ),
  map(
    "sitemap-lists-itself",
    xml(`<sitemapindex><sitemap><loc>${at("sitemap-lists-itself", "/sitemap.xml")}</loc></sitemap></sitemapindex>`),
    undefined,
  ),
  map(
    "sitemap-index-loop",
    xml(`<sitemapindex><sitemap><loc>${at("sitemap-index-loop", "/b.xml")}</loc></sitemap></sitemapindex>`),
    undefined,
    {
      "/b.xml": xml(
        `<sitemapindex><sitemap><loc>${at("sitemap-index-loop", "/sitemap.xml")}</loc></sitemap></sitemapindex>`,
      ),
    },
  ),
  map(
    "sitemap-of-other-schemes",
    xml(`<urlset>${url("file:///etc/passwd")}${url("javascript:alert(1)")}</urlset>`),
    undefined,
  ),
  {
    ...map(
      "sitemap-gzip-bomb",
      page(gzipSync(Buffer.alloc(100 << 20, " ")), { "content-type": "application/gzip" }),
      undefined,
    ),
    site: { "/sitemap.xml": { status: 200, error: null }, "/found": undefined },
  },
  {
    ...map(
      "sitemap-endless",
      endless(`${head("")}<urlset>${url(at("sitemap-endless", "/found"))}`, "<!-- more -->"),
      READ,
    ),
    site: { "/sitemap.xml": { status: 200, truncated: "length" }, "/found": READ },
  },
  {
    ...map("sitemap-redirects-to-private", redirect("http://10.0.0.1/sitemap.xml"), undefined),
    site: { "/sitemap.xml": { status: 302 } },
  },
];

export const SITEMAP_URLS = SITEMAPS.map(({ name }) => at(name, "/sitemap.xml"));
