/** A crawl since an earlier one: what did not change is not sent again, and nothing of it is lost. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startDemoSite } from "../../src/demo/index.ts";
import { parseConfig, type SiteOptions } from "../../src/site/site-config.ts";
import { SiteCrawl } from "../../src/site/site-crawl.ts";
import { seedSources } from "../../src/site/site-seeds.ts";
import { sqliteSiteStore } from "../../src/site/store/site-store.ts";
import { facts, query, storedUrls, temporaryFolder } from "./crawling.ts";
import { type Answer, linking, tableSite } from "./table-site.ts";

async function crawlSince(t: TestContext, url: string, baseline: string | null, options: SiteOptions = {}) {
  const database = join(temporaryFolder(t), "crawl.db");
  async function* batches() {
    yield [url];
  }
  const crawl = await SiteCrawl.start({
    store: () => sqliteSiteStore(database),
    ...{ baseline, config: parseConfig(options), startUrls: [url] },
    sources: seedSources({ via: "initial", batches: batches() }),
  });
  assert.equal((await crawl.ended).state, "completed");
  return database;
}

/** Everything that the site itself says; times, sizes on the wire and headers differ from crawl to crawl. */
const CONTENT = `contentType charset size indexable indexability indexabilityEvidence robotsMeta robotsHeader canonical language title titleCount
  description h1 h1Count h2 h2Count wordCount contentHash outlinks redirectTo error verdict reason depth via kind foundOn`;

test("the demo site crawled twice more: the same URLs, facts and links, and nearly everything not modified", async (t) => {
  const site = await startDemoSite({ delay: async () => {} });
  t.after(() => site.close());
  const origin = site.url.slice(0, -1);
  const options = { maxUrlsPerPattern: 200, maxQueryVariants: 5, maxDepth: 4, parallelism: 10, retries: 0 };
  const fields = CONTENT.split(/\s+/).join(" ");
  const links = (database: string) =>
    query<object>(
      database,
      `SELECT source, target, type, position, flags, t.value AS text, c.value AS context, p.value AS path
       FROM links LEFT JOIN texts t ON t.id = text LEFT JOIN texts c ON c.id = context LEFT JOIN texts p ON p.id = path
       ORDER BY source, links.id`,
    );
  const first = await crawlSince(t, site.url, null, options);
  let before = first;
  for (let round = 0; round < 2; round++) {
    const again = await crawlSince(t, site.url, before, options);
    assert.deepEqual(storedUrls(again), storedUrls(first));
    const unchanged = Object.keys(facts(again, origin, "status", ["status=200", "notModified=Yes"])).length;
    assert.ok(unchanged > 200, `only ${unchanged} were not modified`);
    const [now, then] = [facts(again, origin, fields), facts(first, origin, fields)];
    for (const [path, values] of Object.entries(then)) assert.deepEqual(now[path], values, path);
    assert.deepEqual(links(again), links(first));
    before = again;
  }
});

test("what makes a page not indexable still does when the server answers that nothing changed", async (t) => {
  const unchanged =
    (body: string, headers: Record<string, string> = {}): Answer =>
    (request, response) => {
      if (request.headers["if-none-match"] === '"1"') response.writeHead(304).end();
      else response.writeHead(200, { "content-type": "text/html", etag: '"1"', ...headers }).end(body);
    };
  const site = await tableSite(t, {
    "/": linking("/google", "/tag", "/refresh", "/refresh-header", "/link"),
    "/google": unchanged("<meta name=googlebot content=noindex>"),
    "/tag": unchanged("<p>x", { "x-robots-tag": "googlebot: noindex" }),
    "/refresh": unchanged(`<base href=/in/><meta http-equiv=refresh content="0; url=there">`),
    "/refresh-header": unchanged("<p>x", { refresh: "0; url=/" }),
    "/link": unchanged("<p>x", { link: "</>; rel=canonical" }),
  });
  const first = await crawlSince(t, site.url, null);
  const again = await crawlSince(t, site.url, first);
  assert.deepEqual(facts(again, site.origin, "indexability notModified indexabilityEvidence", ["notModified=Yes"]), {
    "/google": ["noindex_meta", true, "meta googlebot: noindex"],
    "/tag": ["noindex_header", true, "X-Robots-Tag: googlebot: noindex"],
    "/refresh": ["redirect", true, "meta refresh: 0; url=there"],
    "/refresh-header": ["redirect", true, "Refresh: 0; url=/"],
    "/link": ["canonicalised", true, `Link: <${site.origin}/>; rel="canonical"`],
  });
});

test("a changed page is read again, a vanished one is missing, and headers that a 304 omits still apply", async (t) => {
  const tagged =
    (etag: string, body: string, headers: Record<string, string | string[]> = {}): Answer =>
    (request, response) => {
      if (request.headers["if-none-match"] === etag) response.writeHead(304).end();
      else response.writeHead(200, { "content-type": "text/html", etag, ...headers }).end(body);
    };
  const table: Record<string, Answer> = {
    "/": tagged('"1"', linking("/same", "/changes", "/hidden", "/lines")),
    "/same": tagged('"2"', "<title>Same</title>"),
    "/changes": tagged('"3"', linking("/old")),
    "/hidden": tagged('"4"', linking("/secret"), { "x-robots-tag": "noindex, nofollow" }),
    "/lines": tagged('"6"', "<title>Lines</title>", { "x-robots-tag": ["otherbot: nosnippet", "noindex"] }),
    "/old": "<p>x",
    "/new": "<p>x",
  };
  const site = await tableSite(t, table);
  const options = { discovery: ["spider" as const], checkResources: false };
  const first = await crawlSince(t, site.url, null, options);
  table["/changes"] = tagged('"5"', linking("/new"));
  const second = await crawlSince(t, site.url, first, options);
  assert.deepEqual(facts(second, site.origin, "status notModified title indexability outlinks etag"), {
    "/": [200, true, "Page", null, 4, '"1"'],
    "/same": [200, true, "Same", null, 0, '"2"'],
    "/changes": [200, false, "Page", null, 1, '"5"'],
    "/hidden": [200, true, "Page", "noindex_header", 1, '"4"'],
    "/lines": [200, true, "Lines", "noindex_header", 0, '"6"'],
    "/new": [200, false, null, null, 0, null],
    "/secret": [null, null, null, null, null, null],
  });
  assert.equal(facts(second, site.origin, "reason")["/secret"], "nofollow");
});
