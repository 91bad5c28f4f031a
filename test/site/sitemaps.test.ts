/** Sitemaps: where they are found, their formats, and URLs that only they list. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { crawlInto, facts } from "./crawling.ts";
import { type Answer, linking, redirect, tableSite, text } from "./table-site.ts";

const xml = (body: string): Answer => ({ type: "application/xml", body: `<?xml version="1.0"?>${body}` });
const urlset = (...urls: string[]) => `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;
const index = (...urls: string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`;

test("an index named by robots.txt: plain, gzip'd, text and feed; orphans are crawled and marked as such", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/linked"),
    "/robots.txt": text("Sitemap: /maps/index.xml\nUser-agent: *\nDisallow: /maps\nDisallow: /forbidden\n"),
    "/maps/index.xml": xml(index("/maps/a.xml", "b.xml.gz", "/maps/c.txt", "/maps/d.xml", "/maps/gone.xml")),
    "/maps/a.xml": xml(urlset("/linked", "/orphan-a", "/forbidden", "https://other.test/", "/orphan-a")),
    "/maps/b.xml.gz": { type: "application/gzip", body: gzipSync(urlset("/orphan-b")) },
    "/maps/c.txt": (request, response) => void response.end(`http://${request.headers.host}/orphan-c\n`),
    "/maps/d.xml": xml("<rss><channel><item><link>/orphan-d</link></item></channel></rss>"),
    ...Object.fromEntries(
      ["/linked", "/orphan-a", "/orphan-b", "/orphan-c", "/orphan-d"].map((path) => [path, "<p>x"]),
    ),
  });
  const { summary, database } = await crawlInto(t, site.url, { discovery: ["spider", "sitemap"] });
  assert.equal(summary.state, "completed");
  const rows = facts(database, site.origin, "status via kind foundOn depth");
  assert.deepEqual(rows["/maps/index.xml"], [200, "sitemap", "sitemap", null, null]);
  assert.deepEqual(rows["/maps/b.xml.gz"], [200, "sitemap", "sitemap", "/maps/index.xml", null]);
  assert.deepEqual(rows["/maps/gone.xml"], [404, "sitemap", "sitemap", "/maps/index.xml", null]);
  for (const name of ["a", "b", "c", "d"]) {
    assert.deepEqual((rows[`/orphan-${name}`] as unknown[]).slice(0, 3), [200, "sitemap", "sitemap-entry"], name);
  }
  assert.deepEqual(rows["/linked"], [200, "spider", "anchor", "/", 1]);
  const reasons = facts(database, site.origin, "reason");
  assert.deepEqual([reasons["/forbidden"], reasons["https://other.test/"]], ["robots_disallow", "external"]);
  assert.ok(!("/sitemap.xml" in rows), "it is not guessed if robots.txt names one");
  assert.equal(site.asked().filter((line) => line === "GET /orphan-a").length, 1);
});

test("/sitemap.xml is tried if none is named; without sitemap discovery, or for a single page, it is not", async (t) => {
  const site = await tableSite(t, {
    "/": "<p>x",
    "/sitemap.xml": redirect("/real.xml"),
    "/real.xml": xml(urlset("/orphan")),
    "/orphan": "<p>x",
  });
  const first = await crawlInto(t, site.url);
  assert.deepEqual(facts(first.database, site.origin, "status via"), {
    "/": [200, "initial"],
    "/sitemap.xml": [301, "sitemap"],
    "/real.xml": [200, "redirect"],
    "/orphan": [200, "sitemap"],
  });
  for (const options of [{ discovery: ["spider" as const] }, { singlePage: true }]) {
    const { database } = await crawlInto(t, site.url, options);
    assert.deepEqual(Object.keys(facts(database, site.origin, "status")), ["/"]);
  }
  const mapOnly = await crawlInto(t, site.url, { discovery: ["sitemap"] });
  assert.equal(facts(mapOnly.database, site.origin, "status")["/orphan"], 200);
});

test("/sitemap_index.xml is tried where /sitemap.xml is not a sitemap", async (t) => {
  const site = await tableSite(t, {
    "/": "<p>x",
    "/sitemap_index.xml": xml(index("/one.xml")),
    "/one.xml": xml(urlset("/orphan")),
    "/orphan": "<p>x",
  });
  const { database } = await crawlInto(t, site.url);
  assert.deepEqual(facts(database, site.origin, "status via"), {
    "/": [200, "initial"],
    "/sitemap.xml": [null, "sitemap"],
    "/sitemap_index.xml": [200, "sitemap"],
    "/one.xml": [200, "sitemap"],
    "/orphan": [200, "sitemap"],
  });
});

test("a subdomain's robots.txt names its own; those are read, unless sitemaps are not", async (t) => {
  const site = await tableSite(t, {
    "//example.com/": linking("http://docs.example.com/"),
    "//docs.example.com/": "<p>x",
    "//docs.example.com/robots.txt": text("Sitemap: /map.xml"),
    "//docs.example.com/map.xml": xml(urlset("http://docs.example.com/orphan")),
    "//docs.example.com/orphan": "<p>x",
  });
  const options = { connectTo: [`::127.0.0.1:${site.port}`] };
  for (const robots of ["respect", "ignore"] as const) {
    const { database } = await crawlInto(t, "http://example.com/", { ...options, robots });
    assert.deepEqual(facts(database, "http://docs.example.com", "status via", ["url~docs.example.com"]), {
      "/": [200, "spider"],
      "/map.xml": [200, "sitemap"],
      "/orphan": [200, "sitemap"],
    });
  }
  const without = await crawlInto(t, "http://example.com/", { ...options, discovery: ["spider"] });
  assert.deepEqual(Object.keys(facts(without.database, "http://", "url")), ["example.com/", "docs.example.com/"]);
});

test("one on another host, named by robots.txt or by the user, is read; its entries of other sites are not", async (t) => {
  const cdn = await tableSite(t, {});
  const site = await tableSite(t, {
    "/": "<p>x",
    "/robots.txt": text(`Sitemap: ${cdn.url}one.xml`),
    "/a": "<p>x",
    "/b": "<p>x",
  });
  const more = await tableSite(t, {
    "/one.xml": xml(index("/two.xml")),
    "/two.xml": xml(urlset(`${site.url}a`, "/elsewhere")),
    "/mine.xml": xml(urlset(`${site.url}b`)),
  });
  // The address in robots.txt is only known once the site is there: it is sent on to the table that knows the site's.
  const { database } = await crawlInto(t, site.url, {
    discovery: ["sitemap"],
    sitemapUrls: [`${more.url}mine.xml`],
    connectTo: [`127.0.0.1:${cdn.port}:127.0.0.1:${more.port}`, `127.0.0.1:${more.port}:127.0.0.1:${more.port}`],
  });
  const rows = facts(database, site.origin, "status reason");
  assert.deepEqual(
    [rows["/a"], rows["/b"]],
    [
      [200, null],
      [200, null],
    ],
  );
  assert.deepEqual(rows[`${cdn.origin}/elsewhere`], [null, "external"]);
});

test("an index that lists itself, and indexes of indexes, end", async (t) => {
  const table: Record<string, Answer> = { "/": "<p>x", "/sitemap.xml": xml(index("/sitemap.xml", "/map/1")) };
  for (let n = 1; n < 20; n++) table[`/map/${n}`] = xml(index(`/map/${n + 1}`));
  const site = await tableSite(t, table);
  const { summary, database } = await crawlInto(t, site.url, { maxRedirects: 4 });
  assert.equal(summary.state, "completed");
  const rows = facts(database, site.origin, "reason", ["kind=sitemap"]);
  assert.deepEqual([rows["/map/4"], rows["/map/5"]], [null, "too_many_redirects"]);
});

test("what is not a sitemap does no harm: a web page, an empty file, an entity bomb", async (t) => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "${"x".repeat(1000)}"><!ENTITY b "${"&a;".repeat(1000)}">]><urlset><url><loc>/&b;</loc></url></urlset>`;
  const site = await tableSite(t, {
    "/": "<p>x",
    "/page.xml": linking("/a"),
    "/empty.xml": "",
    "/bomb.xml": xml(bomb),
  });
  const maps = ["page", "empty", "bomb"].map((name) => `${site.url}${name}.xml`);
  const { summary } = await crawlInto(t, site.url, { sitemapUrls: maps });
  assert.equal(summary.state, "completed");
  assert.equal(summary.errors, 0);
});

test("a sitemap counts towards the URL limit if it is there; one that was guessed and is not gives its place back", async (t) => {
  const [some, others] = [0, 10].map((first) => Array.from({ length: 10 }, (_, n) => `/p${first + n}`));
  const table: Record<string, Answer> = Object.fromEntries([...some!, ...others!].map((path) => [path, "<p>x"]));
  const maps: Record<string, Answer>[] = [{}, { "/sitemap.xml": xml(urlset("/p3")) }];
  const ends: unknown[] = [];
  for (const map of maps) {
    const site = await tableSite(t, {
      ...table,
      ...map,
      "/": linking(...some!),
      "/p9": linking("/q"),
      "/q": linking(...others!),
    });
    const { summary, database } = await crawlInto(t, site.url, { maxUrls: 22 });
    ends.push([summary.state, Object.keys(facts(database, site.origin, "status", ["outcome=page"])).length]);
  }
  assert.deepEqual(ends, [
    ["completed", 22],
    ["limit_reached", 21],
  ]);
});

test("a guessed sitemap takes no page's place, whether it is there or not; limits are exact at any parallelism", async (t) => {
  const paths = Array.from({ length: 40 }, (_, n) => `/p${n}`);
  const pages = Object.fromEntries(paths.map((path) => [path, "<p>x"]));
  for (const map of [{}, { "/sitemap.xml": xml(urlset("/p3", "/q")) }] as Record<string, Answer>[]) {
    const site = await tableSite(t, { ...pages, ...map, "/": linking(...paths) });
    for (const limit of [{ maxUrls: 20 }, { maxUrlsPerHost: 20 }]) {
      for (const parallelism of [1, 10]) {
        const { database } = await crawlInto(t, site.url, { ...limit, parallelism });
        assert.equal(Object.keys(facts(database, site.origin, "status", ["verdict=crawl"])).length, 20);
      }
    }
  }
});

test("a limit that is just enough for the pages is not reached because of guessed sitemaps that are not there", async (t) => {
  const site = await tableSite(t, { "/": linking("/a", "/b"), "/a": "<p>x", "/b": "<p>x" });
  for (const limit of [{ maxUrls: 3 }, { maxUrlsPerHost: 3 }, { maxPages: 3 }]) {
    for (const parallelism of [1, 10]) {
      const { summary } = await crawlInto(t, site.url, { ...limit, parallelism });
      assert.deepEqual([summary.state, summary.message], ["completed", null], JSON.stringify(limit));
    }
  }
});

test("sitemaps obey the URL limit on disk too", async (t) => {
  const maps = Array.from({ length: 10 }, (_, n) => `/map${n}.xml`);
  const table: Record<string, Answer> = { "/": "<p>x", "/sitemap.xml": xml(index(...maps)) };
  maps.forEach((map, n) => {
    table[map] = xml(urlset(...Array.from({ length: 2_000 }, (_, at) => `/p${n * 2_000 + at}`)));
  });
  const site = await tableSite(t, table);
  const { summary, database } = await crawlInto(t, site.url, { maxUrls: 50 });
  assert.equal(summary.state, "limit_reached");
  const rows = facts(database, site.origin, "verdict");
  assert.ok(Object.keys(rows).length < 2_000, `${Object.keys(rows).length} rows`);
  assert.equal(Object.keys(facts(database, site.origin, "status", ["verdict=crawl"])).length, 50);
});
