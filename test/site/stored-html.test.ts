/** HTML that a crawl stores when asked to, and what a running crawl reports about its hosts and failures. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parseConfig, type SiteOptions } from "../../src/site/site-config.ts";
import { SiteCrawl } from "../../src/site/site-crawl.ts";
import type { SiteEvents } from "../../src/site/site-record.ts";
import { seedSources } from "../../src/site/site-seeds.ts";
import { readHtml } from "../../src/site/store/bodies.ts";
import { findUrl } from "../../src/site/store/link-queries.ts";
import { SiteReader } from "../../src/site/store/reader.ts";
import { sqliteSiteStore } from "../../src/site/store/site-store.ts";
import { query, temporaryFolder } from "./crawling.ts";
import { type Answer, tableSite } from "./table-site.ts";

async function start(
  t: TestContext,
  url: string,
  options: SiteOptions,
  baseline: string | null = null,
  events: SiteEvents = {},
) {
  const database = join(temporaryFolder(t), "crawl.db");
  async function* batches() {
    yield [url];
  }
  const crawl = await SiteCrawl.start({
    store: () => sqliteSiteStore(database),
    ...{ baseline, events, config: parseConfig(options), startUrls: [url] },
    sources: seedSources({ via: "initial", batches: batches() }),
  });
  return { crawl, database };
}

async function htmlOf(database: string, url: string): Promise<string | null> {
  const reader = new SiteReader(database);
  try {
    return readHtml(reader, findUrl(reader, url).id);
  } finally {
    reader.close();
  }
}

const PAGE = "<!doctype html><title>Grüße</title><p>Ein Käfer \u{1f41e} <a href=/style.css>x</a>";

/** One page in an old encoding, with a validator. */
const latin: Answer = (request, response) => {
  if (request.headers["if-none-match"] === '"1"') return void response.writeHead(304).end();
  response.writeHead(200, { "content-type": "text/html; charset=windows-1252", etag: '"1"' });
  response.end(Buffer.from("<p>Caf\xe9 f\xfcr 5 \x80</p>", "latin1"));
};

test("with storeHtml, pages are stored as text, whatever their encoding, and other files are not", async (t) => {
  const site = await tableSite(t, {
    "/": { body: `${PAGE}<a href=/latin>y</a><a href=/gone>z</a>` },
    "/latin": latin,
    "/style.css": { headers: { "content-type": "text/css" }, body: "p { color: red }" },
    "/gone": { status: 404, type: "text/html", body: "<h1>Gone</h1>" },
  });
  const url = (path: string) => new URL(path, site.url).href;
  const { crawl, database } = await start(t, site.url, { storeHtml: true });
  assert.equal((await crawl.ended).state, "completed");
  assert.equal(await htmlOf(database, url("/")), `${PAGE}<a href=/latin>y</a><a href=/gone>z</a>`);
  assert.equal(await htmlOf(database, url("/latin")), "<p>Café für 5 €</p>");
  assert.equal(await htmlOf(database, url("/gone")), "<h1>Gone</h1>");
  assert.equal(await htmlOf(database, url("/style.css")), null);
  assert.deepEqual(
    crawl
      .recentErrors()
      .filter((failure) => failure.url === url("/gone"))
      .map(({ status, error }) => [status, error]),
    [[404, null]],
  );

  const again = await start(t, site.url, { storeHtml: true }, database);
  await again.crawl.ended;
  assert.equal(
    query<{ not_modified: string }>(
      again.database,
      "SELECT not_modified FROM pages JOIN urls USING (id) WHERE url = ?",
      url("/latin"),
    )[0]!.not_modified,
    "Yes",
  );
  assert.equal(
    await htmlOf(again.database, url("/latin")),
    "<p>Café für 5 €</p>",
    "an unmodified page is still stored",
  );
});

test("without storeHtml nothing is stored, even since a crawl that stored it", async (t) => {
  const site = await tableSite(t, { "/": latin });
  const kept = await start(t, site.url, { storeHtml: true });
  await kept.crawl.ended;
  const plain = await start(t, site.url, {}, kept.database);
  await plain.crawl.ended;
  assert.deepEqual(query(plain.database, "SELECT id FROM bodies"), []);
});

test("a running crawl reports what its host is doing, and why it waits", async (t) => {
  const site = await tableSite(t, {
    "/robots.txt": { headers: { "content-type": "text/plain" }, body: "User-agent: *\nCrawl-delay: 20" },
    "/": { body: "<a href=/a>a</a><a href=/b>b</a>" },
  });
  const visited = Promise.withResolvers<void>();
  const { crawl } = await start(t, site.url, {}, null, { onVisit: () => visited.resolve() });
  t.after(() => crawl.stop());
  await visited.promise;
  const [host] = crawl.hosts();
  assert.equal(host!.lane, new URL(site.url).host);
  assert.equal(host!.reason, "crawl_delay");
  assert.deepEqual([host!.state, host!.inFlight], ["waiting", 0]);
  assert.ok(host!.nextAt! > Date.now());
});
