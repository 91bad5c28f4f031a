/** Sites for the rules about links. */
import type { Answer, Fixture, Fixtures } from "./fixture.ts";
import { page } from "./healthy-page.ts";

const anchor = (href: string, more = "", text = "Another page of the shop"): string =>
  `<a href="${href}" ${more}>${text}</a>`;
const body = (html: string): string => page({ body: html });
const good = page();
const redirect = (location: string): Answer => ({ status: 301, headers: { location } });
/** The start page with the first markup in its body, and one with the second. */
const start = (fires: string, silent: string): Fixture => ({ fires: body(fires), silent: body(silent) });
const anchors = (count: number, href: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => anchor(href(n), "", `Number ${n}`)).join(" ");
/** Pages in a row, each linking to the next. */
const row = (length: number): Record<`/${string}`, Answer> =>
  Object.fromEntries(
    Array.from({ length }, (_, at) => [at === 0 ? "/" : `/${at}`, body(at + 1 < length ? anchor(`/${at + 1}`) : "")]),
  );
const sitemap = (path: string): Record<`/${string}`, Answer> => ({
  "/sitemap.xml": { type: "application/xml", body: `<urlset><url><loc>{origin}${path}</loc></url></urlset>` },
});

/** Pages that all link to each other's start; one of them is linked from a single page far away. */
const starOf = (count: number): Record<`/${string}`, Answer> => ({
  "/": body(Array.from({ length: count }, (_, n) => anchor(`/p${n}`, "", `Page number ${n}`)).join("")),
  ...Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `/p${n}`,
      body(
        anchor("/") +
          anchor(`/p${(n + 1) % count}`) +
          (n === 7 ? `${anchor("/lonely")}${anchor("/about").repeat(30)}` : ""),
      ),
    ]),
  ),
  "/lonely": body(anchor("/")),
});
const important = (path: string): Answer => ({
  type: "application/xml",
  body: `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{origin}${path}</loc><priority>1.0</priority></url></urlset>`,
});

export const LINK_FIXTURES: Fixtures = {
  "link.broken_internal": start(anchor("/missing"), anchor("/about")),
  "link.broken_external": {
    fires: body(anchor("{out}/missing")),
    silent: { "/": body(anchor("{out}/wall")), "out/wall": { status: 403, body: "no" } },
  },
  "link.to_redirect": {
    fires: { "/": body(anchor("/old")), "/old": redirect("/about") },
    silent: body(anchor("/about")),
  },
  "link.external_to_redirect": {
    fires: { "/": body(anchor("{out}/old")), "out/old": redirect("/new"), "out/new": good },
    silent: { "/": body(anchor("{out}/new")), "out/new": good },
  },
  "link.to_http": start(anchor("{http}/"), anchor("/about")),
  "link.to_localhost": start(anchor("http://localhost:3000/shop"), anchor("/localhost")),
  "link.no_internal_outlinks": { fires: page({ links: false }), silent: good },
  "link.js_only": {
    ...{ fires: good, silent: good },
    rendered: { fires: { raw_word_count: 200 }, silent: { raw_word_count: 200 } },
    sql: "UPDATE links SET flags = flags | 16 WHERE source = ? AND type = 0",
  },
  "link.uncrawlable": start(
    '<a href="javascript:open(5)">Rods</a>',
    '<button onclick="show()">Rods</button><a href="/about" onclick="count()">About the shop</a>',
  ),
  "link.target_blank_no_noopener": start(
    anchor("https://other.example/", 'target="_blank"'),
    `${anchor("https://other.example/", 'target="_blank" rel="nofollow noopener"')}${anchor("/about", "target=_blank")}`,
  ),
  "link.low_link_score": {
    at: "/lonely",
    fires: { ...starOf(40), "/sitemap.xml": important("/lonely") },
    silent: { ...starOf(40), "/sitemap.xml": important("/") },
  },
  "link.nofollow_internal_out": start(anchor("/about", "rel=nofollow"), anchor("/about")),
  "link.nofollow_inlinks_only": {
    at: "/secret",
    fires: { "/": body(anchor("/secret", "rel=nofollow")), "/secret": good },
    silent: { "/": body(anchor("/secret")), "/secret": good },
  },
  "link.follow_and_nofollow_in": {
    at: "/secret",
    fires: { "/": body(anchor("/secret", "rel=nofollow") + anchor("/secret")), "/secret": good },
    silent: { "/": body(anchor("/secret")), "/secret": good },
  },
  "link.nonindexable_inlinks_only": {
    at: "/secret",
    fires: {
      "/": body(anchor("/hidden")),
      "/hidden": page({ head: '<meta name="robots" content="noindex">', body: anchor("/secret") }),
      "/secret": good,
    },
    silent: { "/": body(anchor("/secret")), "/secret": good },
  },
  "link.no_anchor_text": start(anchor("/about", "", ""), anchor("/about")),
  "link.generic_anchor": start(anchor("/about", "", "Click here"), anchor("/about", "", "continue")),
  "link.anchor_too_long": start(anchor("/about", "", "long text ".repeat(15)), anchor("/about")),
  "link.too_many_internal": start(
    anchors(1_001, () => "/about"),
    anchors(50, () => "/about"),
  ),
  "link.too_many_external": start(
    anchors(101, () => "{out}/"),
    anchors(20, () => "{out}/"),
  ),
  "link.depth_high": { at: "/4", fires: row(5), silent: row(4) },
  "link.orphan": {
    at: "/alone",
    fires: { "/": good, "/alone": good, ...sitemap("/alone") },
    silent: { "/": body(anchor("/linked")), "/linked": good, ...sitemap("/linked") },
  },
  "link.same_anchor_many_targets": start(
    ["/about", "/icon.png", "/card.png"].map((href) => anchor(href, "", "Our shop")).join(" "),
    ["/about", "/about", "/about"].map((href) => anchor(href, "", "Our shop")).join(" "),
  ),
};
