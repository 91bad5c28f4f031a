/** Bot checks instead of pages: they are no pages, the host rests, and the crawl ends and says why. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { type Clock, systemClock } from "../../src/kernel/clock.ts";
import { decideEnd } from "../../src/site/crawl-end.ts";
import { parseConfig } from "../../src/site/site-config.ts";
import { SiteCrawl } from "../../src/site/site-crawl.ts";
import { seedSources } from "../../src/site/site-seeds.ts";
import { endFacts } from "../../src/site/store/end-facts.ts";
import { SiteReader } from "../../src/site/store/reader.ts";
import { sqliteSiteStore } from "../../src/site/store/site-store.ts";
import { whyUrl } from "../../src/site/store/why.ts";
import { crawlInto, facts, query, temporaryFolder } from "./crawling.ts";
import { type Answer, linking, type TableSite, tableSite } from "./table-site.ts";

const SPIDER = { discovery: ["spider" as const], checkResources: false };

const CHECK: Answer = {
  status: 403,
  type: "text/html",
  headers: { server: "cloudflare", "cf-mitigated": "challenge" },
  body: `<title>Just a moment...</title><a href="/trap">go</a><script>window._cf_chl_opt={}</script>`,
};
/** The same with 200, by its body alone. */
const MILD = { ...CHECK, status: 200, headers: {} };

/** A minute passes in 60 ms. */
function quickClock(): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * 1_000,
    after: (ms, callback) => systemClock.after(ms / 1_000, callback),
  };
}

async function* oneBatch(url: string): AsyncGenerator<string[]> {
  yield [url];
}

function startQuickly(site: TableSite, database: string, settings: Record<string, unknown> = {}): Promise<SiteCrawl> {
  return SiteCrawl.start({
    store: () => sqliteSiteStore(database),
    config: parseConfig({ ...SPIDER, timeout: 86_400, ...settings }),
    startUrls: [site.url],
    sources: seedSources({ via: "initial", batches: oneBatch(site.url) }),
    clock: quickClock(),
  });
}

function endOf(database: string, parked: string[], url: string) {
  const reader = new SiteReader(database);
  try {
    const query = { mode: "site" as const, config: parseConfig(SPIDER), startUrls: [url] };
    return decideEnd({ how: "drained", parked, error: null }, endFacts(reader, query));
  } finally {
    reader.close();
  }
}

test("nothing of a bot check is stored as the page's, whatever its status, and an article about them is a page", async (t) => {
  const article = `<title>Just a moment...</title><h1>Why Cloudflare says so</h1><pre>window._cf_chl_opt</pre>`;
  const site = await tableSite(t, {
    "/": linking("/article", "/mild", "/ok"),
    "/article": article,
    "/mild": MILD,
    "/ok": "<title>Fine</title><p>Words",
  });
  const database = join(temporaryFolder(t), "crawl.db");
  const crawl = await startQuickly(site, database, { storeHtml: true, storeHeaders: true });
  assert.equal((await crawl.ended).state, "completed");
  const fields = "status outcome error errorDetail indexable indexability title wordCount outlinks";
  const stored = facts(database, site.origin, fields);
  assert.deepEqual(stored["/mild"], [200, "broken", "challenge", "Cloudflare", false, "challenge", null, null, null]);
  assert.deepEqual((stored["/article"] as unknown[]).slice(0, 7), [
    200,
    "page",
    null,
    null,
    true,
    null,
    "Just a moment...",
  ]);
  assert.equal("/trap" in stored, false, "its links lead nowhere");
  const kept = query<{ id: number }>(
    database,
    "SELECT b.id AS id FROM bodies b JOIN urls u USING (id) WHERE url LIKE '%/mild'",
  );
  assert.equal(kept.length, 0);
  const reader = new SiteReader(database);
  t.after(() => reader.close());
  const why = whyUrl(reader, parseConfig({}), `${site.origin}/mild`);
  assert.match(JSON.stringify(why), /200: The site answered with a bot check instead of the page\. \(Cloudflare\)/);
});

test("checks that begin and end: the host rests, and no page is lost", async (t) => {
  const paths = Array.from({ length: 30 }, (_, index) => `/page/${index}`);
  let checks = 0;
  const page: Answer = (request, response) => {
    const isChecked = request.url === "/page/12" && checks++ === 0;
    const { status, body } = isChecked ? MILD : { status: 200, body: `<p>Words of ${request.url}` };
    response.writeHead(status!, { "content-type": "text/html" }).end(body);
  };
  const site = await tableSite(t, { "/": linking(...paths), ...Object.fromEntries(paths.map((path) => [path, page])) });
  const database = join(temporaryFolder(t), "crawl.db");
  const crawl = await startQuickly(site, database);
  assert.equal((await crawl.ended).state, "completed");
  assert.deepEqual([crawl.progress().open, checks], [0, 2]);
  assert.deepEqual(facts(database, site.origin, "outcome attempts")["/page/12"], ["page", 1]);
});

test("checks that begin and do not end: a few requests later the crawl pauses, says why, and can be resumed", async (t) => {
  const paths = Array.from({ length: 200 }, (_, index) => `/page/${index}`);
  let isChecking = true;
  let answered = 0;
  const page: Answer = (request, response) => {
    if (isChecking && ++answered > 50) response.writeHead(403, { "cf-mitigated": "challenge" }).end();
    else response.writeHead(200, { "content-type": "text/html" }).end(`<p>Words of ${request.url}`);
  };
  const site = await tableSite(t, { "/": linking(...paths), ...Object.fromEntries(paths.map((path) => [path, page])) });
  const database = join(temporaryFolder(t), "crawl.db");
  const first = await startQuickly(site, database);
  const end = await first.ended;
  assert.deepEqual([end.state, end.parked], ["completed", [new URL(site.url).host]]);
  assert.ok(answered < 50 + 40, `${answered - 50} checks`);
  assert.ok(first.progress().open > 100);
  const { cause, message, hint, left } = endOf(database, end.parked, site.url);
  assert.deepEqual([cause, left], ["host_challenges", first.progress().open]);
  assert.match(`${message} ${hint}`, /began to answer with bot checks instead of pages\. .*allow this crawler/);

  isChecking = false;
  const second = await startQuickly(site, database);
  assert.deepEqual([(await second.ended).state, second.progress().open], ["completed", 0]);
  const outcomes = Object.values(facts(database, site.origin, "outcome"));
  assert.ok(outcomes.filter((outcome) => outcome === "page").length >= 195);
});

test("a part of the site that is always checked does not stop the rest", async (t) => {
  const paths = Array.from({ length: 40 }, (_, index) => `/page/${index}`);
  const table: Record<string, Answer> = { "/": linking(...paths) };
  paths.forEach((path, index) => {
    table[path] = index % 4 === 3 ? CHECK : `<p>Words of ${path}`;
  });
  const site = await tableSite(t, table);
  const database = join(temporaryFolder(t), "crawl.db");
  const crawl = await startQuickly(site, database, { parallelism: 1 });
  assert.deepEqual([(await crawl.ended).parked, crawl.progress().open], [[], 0]);
  const outcomes = Object.values(facts(database, site.origin, "outcome"));
  assert.equal(outcomes.filter((outcome) => outcome === "page").length, 31);
  assert.equal(
    Object.values(facts(database, site.origin, "error")).filter((error) => error === "challenge").length,
    10,
  );
});

test("links to another host that checks everyone are recorded after three requests, with no wait", async (t) => {
  const links = Array.from({ length: 20 }, (_, index) => `/x/${index}`);
  const other = await tableSite(t, Object.fromEntries(links.map((path) => [path, CHECK])));
  const site = await tableSite(t, { "/": linking(...links.map((path) => `http://localhost:${other.port}${path}`)) });
  const { database, summary } = await crawlInto(t, site.url, {
    ...SPIDER,
    checkExternalLinks: true,
    allowPrivate: true,
  });
  assert.equal(summary.state, "completed");
  const errors = Object.values(facts(database, site.origin, "error", ["internal=No"]));
  assert.deepEqual([errors.length, new Set(errors)], [20, new Set(["challenge"])]);
  assert.ok(other.asked().length <= 12, `${other.asked().length} requests`);
});
