/** What a crawl cannot follow, read or decode is counted and listed, not left out without a word. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../../src/site/site-config.ts";
import { brokenUrls } from "../../src/site/store/link-explorer.ts";
import { SiteReader } from "../../src/site/store/reader.ts";
import { whyUrl } from "../../src/site/store/why.ts";
import { crawlInto, facts } from "./crawling.ts";
import { linking, tableSite } from "./table-site.ts";

const SPIDER = { discovery: ["spider" as const] };

test("links beyond the limit, and those that are not web addresses, are counted and listed", async (t) => {
  const site = await tableSite(t, {
    "/": `<a href=/a>a</a> <a href="mailto:me@a.test">m</a> <a href="mailto:me@a.test">m</a> <a href="tel:1">t</a>
      <a href="javascript:void(0)">j</a> <img src="data:image/gif;base64,x">`,
    "/a": linking("/b", "/c", "/d", "/e", "/f", "/g", "/h"),
  });
  const { database } = await crawlInto(t, site.url, { ...SPIDER, maxLinksPerPage: 5 });
  const rows = facts(database, site.origin, "outlinks linksLeftOut linksOther linksOtherList");
  assert.deepEqual(rows["/"], [1, null, 4, "mailto:me@a.test (2 times)\ntel:1\njavascript:void(0)"]);
  assert.deepEqual(rows["/a"], [5, 2, null, null]);
});

test("a body that cannot be decoded keeps its status and headers; redirects and errors need none", async (t) => {
  const packed = (status: number, headers: Record<string, string> = {}) => ({
    ...{ status, headers: { "content-encoding": "gzip", "x-frame-options": "DENY", ...headers } },
    body: "this is not gzip",
  });
  const site = await tableSite(t, {
    "/": linking("/page", "/moved", "/missing"),
    "/page": packed(200),
    "/moved": packed(301, { location: "/" }),
    "/missing": packed(404),
  });
  const { database } = await crawlInto(t, site.url, SPIDER);
  const rows = facts(database, site.origin, "status error frame_options indexability outcome");
  assert.deepEqual(rows["/page"], [200, "bad_encoding", "DENY", "undecodable", "broken"]);
  assert.deepEqual(rows["/moved"], [301, null, "DENY", "redirect", "redirect"]);
  assert.deepEqual(rows["/missing"], [404, null, "DENY", "client_error", "broken"]);
  const reader = new SiteReader(database);
  t.after(() => reader.close());
  const broken = brokenUrls(reader, { internal: null, unverified: false, sources: 1, limit: 10, after: 0 });
  assert.deepEqual(
    broken.rows.map(({ url }) => url.slice(site.origin.length)),
    ["/page", "/missing"],
    "a link to a page that nobody can read is dead",
  );
});

test("what is preloaded is fetched as what it is, also outside the start folder", async (t) => {
  const site = await tableSite(t, {
    "/docs/": `<link rel=preload as=font href=/fonts/a.woff2><link rel=modulepreload href=/js/m.js>
      <a href=/fonts/b.woff2>font</a><a href=/other>other</a><a href=/docs/two>two</a>`,
    "/docs/two": "<style>@font-face { src: url(/fonts/b.woff2) }</style>",
    "/fonts/a.woff2": "x",
    "/fonts/b.woff2": "x",
    "/js/m.js": "x",
  });
  const { database } = await crawlInto(t, `${site.origin}/docs/`, { startFolder: true, discovery: ["spider"] });
  const rows = facts(database, site.origin, "kind reason status");
  assert.deepEqual(rows["/fonts/a.woff2"], ["font", null, 200]);
  assert.deepEqual(rows["/js/m.js"], ["script", null, 200]);
  assert.deepEqual(rows["/fonts/b.woff2"], ["font", null, 200], "a page uses what another one only links to");
  assert.deepEqual(rows["/other"], ["anchor", "outside_folder", null]);
});

test("services for programs and prerendered pages are recorded, and fetched only when something links to them", async (t) => {
  const site = await tableSite(t, {
    "/": `<link rel=pingback href=/xmlrpc.php><link rel=EditURI href=/rsd><link rel=search href=/search.xml>
      <link rel="https://api.w.org/" href=/wp-json/><link rel=prerender href=/next><a href=/a>a</a>`,
    "/a": linking("/next"),
    "/next": "<p>x",
  });
  const { database } = await crawlInto(t, site.url, SPIDER);
  const rows = facts(database, site.origin, "verdict reason status");
  for (const path of ["/xmlrpc.php", "/rsd", "/search.xml", "/wp-json/"])
    assert.deepEqual(rows[path], ["record", "service", null], path);
  assert.deepEqual(rows["/next"], ["crawl", null, 200]);
});

test("why a link was not followed: what its page says about all of its links", async (t) => {
  const site = await tableSite(t, {
    "/": `${linking("/said", "/header")}<a rel=nofollow href=/own>own</a>`,
    "/said": `<meta name=robots content="noarchive, nofollow">${linking("/of-said")}`,
    "/header": { headers: { "x-robots-tag": "nofollow" }, body: linking("/of-header") },
  });
  const { database } = await crawlInto(t, site.url, { ...SPIDER, followInternalNofollow: false });
  const reader = new SiteReader(database);
  t.after(() => reader.close());
  const directiveOf = (path: string) => {
    const { reason, directive } = whyUrl(reader, parseConfig({}), `${site.origin}${path}`);
    return [reason, directive?.page, directive?.written];
  };
  assert.deepEqual(directiveOf("/own"), ["nofollow", undefined, undefined]);
  assert.deepEqual(directiveOf("/of-said"), ["nofollow", `${site.origin}/said`, "meta robots: noarchive, nofollow"]);
  assert.deepEqual(directiveOf("/of-header"), ["nofollow", `${site.origin}/header`, "X-Robots-Tag: nofollow"]);
});

test("a page that is cut at the limit says that only its beginning was judged", async (t) => {
  const site = await tableSite(t, { "/": `<title>long</title><p>${"word ".repeat(1_000)}` });
  const { database } = await crawlInto(t, site.url, { ...SPIDER, maxBytes: 2_048 });
  assert.deepEqual(facts(database, site.origin, "truncated indexable indexabilityEvidence")["/"], [
    "length",
    true,
    "judged by the first 2048 bytes: the rest was not read",
  ]);
});
