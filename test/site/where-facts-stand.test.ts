/** Facts that a page does not have in its own HTML: what headers, sitemaps and other pages say about it. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { auditSettings } from "../../src/site/audit/audit-settings.ts";
import { runAudit } from "../../src/site/audit/run-audit.ts";
import { parseConfig } from "../../src/site/site-config.ts";
import { crawlInto, facts } from "./crawling.ts";
import { type Answer, linking, redirect, tableSite, text } from "./table-site.ts";

const xml = (body: string): Answer => ({ type: "application/xml", body });
const audit = (database: string): void =>
  runAudit(database, { settings: auditSettings(parseConfig({})), now: 0, previous: null });

test("sitemaps: what they say about a page, and what is wrong with them", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/a"),
    "/a": "<p>a",
    "/de": "<p>de",
    "/b": "<p>b",
    "/robots.txt": text("Sitemap: /good.xml\nSitemap: /cut.xml\nSitemap: /page.html\n"),
    "/good.xml": xml(`<urlset xmlns:x="x"><url><loc>/a</loc><lastmod>Fri, 17 May 2024</lastmod><priority>0.8</priority>
      <x:link rel="alternate" hreflang="de" href="/de"/></url><url><loc>/b</loc><priority>0.1</priority></url></urlset>`),
    "/cut.xml": xml("<urlset><url><loc>/a</loc></url><url><loc>/"),
    "/page.html": "<!doctype html><title>Welcome</title>",
  });
  const { database } = await crawlInto(t, site.url, { discovery: ["spider", "sitemap"] });
  const said = facts(database, site.origin, "sitemapLastmod sitemapPriority hreflangSitemap sitemaps");
  const both = `/good.xml\n${site.origin}/cut.xml`;
  assert.deepEqual(said["/a"], ["Fri, 17 May 2024", 0.8, '[["de","/de"]]', both]);
  assert.deepEqual(said["/b"], [null, 0.1, null, "/good.xml"]);
  assert.deepEqual(said["/"], [null, null, null, null]);
  const own = facts(database, site.origin, "sitemapKind status sitemapProblems");
  assert.deepEqual(own["/good.xml"], ["urlset", 200, null]);
  const [kind, , problems] = own["/cut.xml"] as string[];
  assert.equal(kind, "urlset");
  assert.match(problems!, /unclosed/);
  assert.deepEqual(own["/page.html"], ["unknown", 200, "not a sitemap: an HTML page"]);
  assert.equal(facts(database, site.origin, "status")["/de"], 200, "translations that a sitemap names are found");
});

test("Link headers: canonical, translations, and the pages of a series; where a canonical stands", async (t) => {
  const link = '</c>; rel="canonical", </de>; rel=alternate; hreflang=de, </2>; rel=next, </0>; rel="prev"';
  const site = await tableSite(t, {
    "/": { headers: { link }, body: linking("/head", "/none", "/late") },
    "/head": { headers: { link: "</other>; rel=canonical" }, body: "<link rel=canonical href=/head>" },
    "/none": "<p>x",
    "/late": "<body><p>x<link rel=canonical href=/body>",
  });
  const { database } = await crawlInto(t, site.url);
  const rows = facts(database, site.origin, "canonical canonicalSource next prev hreflangHeader");
  assert.deepEqual(rows["/"], ["/c", "header", "/2", "/0", '[["de","/de"]]']);
  assert.deepEqual((rows["/head"] as unknown[]).slice(0, 2), ["/head", "head"]);
  assert.deepEqual((rows["/none"] as unknown[]).slice(0, 2), [null, null]);
  assert.deepEqual((rows["/late"] as unknown[]).slice(0, 2), [null, null], "a canonical in the body does not count");
});

test("translations are judged wherever they are named", async (t) => {
  const languages =
    '</>; rel=alternate; hreflang=en, </de>; rel=alternate; hreflang=de, </fr>; rel=alternate; hreflang="fr"';
  const site = await tableSite(t, {
    "/": { headers: { link: languages }, body: linking("/de", "/fr") },
    "/de": '<link rel=alternate hreflang=en href="/"><link rel=alternate hreflang=de href="/de"><p>x',
    "/fr": "<p>x",
    "/robots.txt": text("Sitemap: /map.xml\n"),
    "/map.xml": xml(
      `<urlset xmlns:x="x"><url><loc>/fr</loc><x:link rel="alternate" hreflang="xx-yyyyy" href="/gone"/></url></urlset>`,
    ),
  });
  const { database } = await crawlInto(t, site.url, { discovery: ["spider", "sitemap"] });
  audit(database);
  const db = new DatabaseSync(database, { readOnly: true });
  t.after(() => db.close());
  const texts = new Map(
    db
      .prepare(`SELECT r.rule || ' ' || substr(url, ?) AS text, evidence FROM findings f JOIN audit_rules r ON r.number = f.rule
       JOIN urls u ON u.id = f.id WHERE r.rule LIKE 'hreflang.%'`)
      .all(site.origin.length + 1)
      .map(({ text: key, evidence }) => [key, evidence]),
  );
  assert.equal(texts.get("hreflang.missing_return /"), `fr: ${site.origin}/fr`);
  assert.equal(texts.get("hreflang.invalid_code /fr"), "xx-yyyyy");
  assert.equal(texts.get("hreflang.non_200 /fr"), `xx-yyyyy: 404 ${site.origin}/gone`);
  assert.ok(!texts.has("hreflang.missing_return /de"), "a header is a return link for a page");
});

test("a refresh is a step of a chain of redirects, and may close a circle", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/meta", "/circle", "/long", "/moved"),
    "/meta": '<meta http-equiv=refresh content="0; url=/header"><p>x',
    "/header": { headers: { refresh: "0; url=/end" }, body: "<p>x" },
    "/end": "<p>end",
    "/circle": '<meta http-equiv=refresh content="0; url=/moved"><p>x',
    "/moved": redirect("/circle"),
    "/long": '<meta http-equiv=refresh content="30; url=/end"><p>x',
  });
  const { database } = await crawlInto(t, site.url);
  audit(database);
  const rows = facts(database, site.origin, "redirectHops redirectFinal redirectLoop redirectChain");
  assert.deepEqual(rows["/meta"], [2, "/end", false, `200 ${site.origin}/header\n200 ${site.origin}/end`]);
  assert.deepEqual(rows["/circle"], [2, null, true, `301 ${site.origin}/moved\n200 ${site.origin}/circle`]);
  assert.deepEqual(rows["/long"], [null, null, false, null]);
});

test("the depth of a folder; unique links in and out; whether an encoding is declared", async (t) => {
  const site = await tableSite(t, {
    "/": { type: "text/html", body: linking("/a/b/c.html", "/a/b/c.html", "/a/?q=/x/y/") },
    "/a/b/c.html": { type: "text/html; charset=utf-8", body: '<a href="/a/?q=/x/y/" rel=nofollow>x</a>' },
    "/a/?q=/x/y/": { type: "text/html", body: "<meta charset=utf-8><p>x" },
  });
  const { database } = await crawlInto(t, site.url);
  audit(database);
  const rows = facts(
    database,
    site.origin,
    "folderDepth charsetDeclared inlinks uniqueInlinks uniqueInlinksFollowed uniqueOutlinks",
  );
  assert.deepEqual(rows["/"], [0, false, 0, 0, 0, 2]);
  assert.deepEqual(rows["/a/b/c.html"], [2, true, 2, 1, 1, 1]);
  assert.deepEqual(rows["/a/?q=/x/y/"], [1, true, 2, 2, 1, 0]);
});
