/** Pages that say "not found" with status 200 are recognised by a request for a page that does not exist. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parseConfig } from "../../src/site/site-config.ts";
import { SiteCrawl } from "../../src/site/site-crawl.ts";
import { seedSources } from "../../src/site/site-seeds.ts";
import { sqliteSiteStore } from "../../src/site/store/site-store.ts";
import { crawlInto, facts, storedUrls, temporaryFolder } from "./crawling.ts";
import { type Answer, linking, tableSite, text } from "./table-site.ts";

const NOT_FOUND = "<title>Shop</title><p>Sorry, this page does not exist.";
const REAL = "<title>Shop</title><p>A real page.";

/** A site that answers everything; `answer` says how it answers for what is not in the table. */
async function softSite(t: TestContext, table: Record<string, Answer>, answer: (path: string) => Answer) {
  const everything = new Proxy(table, {
    get: (known, path: string) => (path.startsWith("//") ? undefined : (known[path] ?? answer(path))),
  });
  return tableSite(t, everything);
}

const robots = { "/robots.txt": text("User-agent: *"), "/sitemap.xml": { status: 404 } };
const start = { "/": linking("/real", "/gone", "/away/too"), "/real": REAL, ...robots };

test("a page that is like the one for a made-up address is a soft 404: not indexable, and not broken", async (t) => {
  const site = await softSite(t, start, () => NOT_FOUND);
  const { summary, database } = await crawlInto(t, site.url);
  assert.equal(summary.state, "completed");
  assert.deepEqual(facts(database, site.origin, "soft404 indexable indexability outcome", ["outcome=page"]), {
    "/": [false, true, null, "page"],
    "/real": [false, true, null, "page"],
    "/gone": [true, false, "soft_404", "page"],
    "/away/too": [true, false, "soft_404", "page"],
  });
  assert.deepEqual(Object.keys(facts(database, site.origin, "url", ["soft404=Yes"])), ["/gone", "/away/too"]);
  assert.equal(site.askedInVain().length, 1, "one request");
  assert.deepEqual(
    storedUrls(database).filter(({ url }) => url.includes("no-such-page")),
    [],
  );
});

test("an error page that repeats the address is recognised", async (t) => {
  const site = await softSite(t, start, (path) => `<title>${path}</title><p>Nothing at ${path.slice(1)}, sorry.`);
  const { database } = await crawlInto(t, site.url);
  assert.deepEqual(Object.keys(facts(database, site.origin, "url", ["soft404=Yes"])), ["/gone", "/away/too"]);
});

test("an error page with a time and the number of the request is recognised", async (t) => {
  let requests = 0;
  const site = await softSite(
    t,
    start,
    () => `<title>Oops</title><p>Not found. Request ${++requests}, at 12:0${requests}.`,
  );
  const { database } = await crawlInto(t, site.url);
  assert.deepEqual(Object.keys(facts(database, site.origin, "url", ["soft404=Yes"])), ["/gone", "/away/too"]);
});

test("the request uses up no limit, and its answer sets no cookie", async (t) => {
  const table = Object.fromEntries(["/a", "/b"].map((path) => [path, `<p>${path}`]));
  const site = await softSite(t, { ...robots, ...table, "/": linking("/a", "/b") }, () => ({
    headers: { "set-cookie": "visited=nothing" },
    body: NOT_FOUND,
  }));
  const { summary } = await crawlInto(t, site.url, { maxUrls: 3, discovery: ["spider"], parallelism: 1 });
  assert.deepEqual([summary.state, summary.crawled, summary.discovered], ["completed", 3, 3]);
  assert.equal(site.askedInVain().length, 1);
  assert.deepEqual(new Set(site.requests.map(({ headers }) => headers.cookie)), new Set([undefined]));
});

test("a made-up page without an end holds nothing up", async (t) => {
  const large = `<p>${"large page ".repeat(100_000)}`;
  const table = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`/${n}`, `${n} ${large}`]));
  const site = await softSite(t, { ...robots, ...table, "/": linking(...Object.keys(table)) }, () => (_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    const more = () => {
      while (!response.destroyed && response.write(large));
    };
    response.on("drain", more);
    more();
  });
  const { summary } = await crawlInto(t, site.url, { discovery: ["spider"], parallelism: 40 });
  assert.deepEqual([summary.state, summary.crawled, summary.errors], ["completed", 41, 0]);
});

test("a host of which only one page is crawled is not asked", async (t) => {
  const site = await softSite(t, { ...start, "/": linking("/real") }, () => NOT_FOUND);
  for (const options of [{ maxUrls: 1 }, { maxDepth: 1, exclude: ["*/real"] }, { singlePage: true }]) {
    await crawlInto(t, site.url, { discovery: ["spider"], ...options });
  }
  assert.deepEqual(site.askedInVain(), []);
});

test("nothing is a soft 404 when the status tells, or when a host answers everything with the same page", async (t) => {
  const honest = await softSite(t, { ...start, "/gone": REAL }, () => ({ status: 404, type: "text/html", body: REAL }));
  const shell = await softSite(t, robots, () => linking("/a", "/b"));
  for (const site of [honest, shell]) {
    const { database } = await crawlInto(t, site.url);
    assert.deepEqual(facts(database, site.origin, "url", ["soft404=Yes"]), {});
    assert.equal(site.askedInVain().length, 1);
  }
});

test("the request obeys robots.txt, the scope and the setting", async (t) => {
  const away = { ...start, "/away/": linking("/away/too", "/away/real"), "/away/real": REAL };
  const site = await softSite(t, away, () => NOT_FOUND);
  await crawlInto(t, site.url, { detectSoft404: false });
  assert.deepEqual(site.askedInVain(), []);
  const { database } = await crawlInto(t, `${site.url}away/`, { startFolder: true });
  assert.match(site.askedInVain().join(), /^GET \/away\/no-such-page-\w+$/);
  assert.deepEqual(Object.keys(facts(database, site.origin, "url", ["soft404=Yes"])), ["/away/too"]);
  const closed = await softSite(t, { ...start, "/robots.txt": text("User-agent: *\nDisallow: /no") }, () => NOT_FOUND);
  await crawlInto(t, closed.url);
  assert.deepEqual(closed.askedInVain(), []);
});

test("verdicts are the same at any parallelism", async (t) => {
  const pages = Array.from({ length: 20 }, (_, n) => `/${n % 2 ? "real" : "gone"}/${n}`);
  const table = { ...start, "/": linking(...pages) };
  const site = await softSite(t, table, (path) => (path.startsWith("/real") ? `${REAL} ${path}` : NOT_FOUND));
  const soft = (database: string) => Object.keys(facts(database, site.origin, "url", ["soft404=Yes"]));
  const gone = pages.filter((path) => path.startsWith("/gone"));
  for (const parallelism of [1, 20]) {
    const { database } = await crawlInto(t, site.url, { parallelism });
    assert.deepEqual(soft(database), gone);
  }
});

test("a resumed crawl knows what was learned, and does not ask again", async (t) => {
  const site = await softSite(t, start, () => NOT_FOUND);
  const database = join(temporaryFolder(t), "crawl.db");
  const run = (onVisit: () => void) =>
    SiteCrawl.start({
      store: () => sqliteSiteStore(database),
      config: parseConfig({ discovery: ["spider"] }),
      startUrls: [site.url],
      sources: seedSources({ via: "initial", batches: batchesOf([site.url]) }),
      events: { onVisit },
    });
  const visited = Promise.withResolvers<void>();
  const interrupted = await run(visited.resolve);
  await visited.promise;
  await interrupted.stop();
  await (await run(() => {})).ended;
  assert.deepEqual(Object.keys(facts(database, site.origin, "url", ["soft404=Yes"])), ["/gone", "/away/too"]);
  assert.equal(site.askedInVain().length, 1);
});

async function* batchesOf(urls: string[]): AsyncGenerator<string[]> {
  yield urls;
}
