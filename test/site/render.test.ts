/** Rendering in whole crawls, with a real browser. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { startDemoSite } from "../../src/demo/index.ts";
import { PLACES } from "../../src/demo/places.ts";
import type { CrawlOptions } from "../../src/index.ts";
import type { ExchangeReport } from "../../src/net/http-types.ts";
import { serveSocks } from "../../src/net/testing/socks-server.ts";
import { needsBrowser } from "../../src/render/testing/browser.ts";
import { parseConfig } from "../../src/site/site-config.ts";
import { SiteCrawl } from "../../src/site/site-crawl.ts";
import { seedSources } from "../../src/site/site-seeds.ts";
import { readHtml } from "../../src/site/store/bodies.ts";
import { SiteReader } from "../../src/site/store/reader.ts";
import { sqliteSiteStore } from "../../src/site/store/site-store.ts";
import { crawlInto, facts, query, temporaryFolder } from "./crawling.ts";
import { tableSite } from "./table-site.ts";

const QUICK = { renderSettle: 0.1, renderMax: 5, renderTabs: 2, render: true };

async function* inOneBatch(url: string) {
  yield [url];
}

describe("rendering", needsBrowser, () => {
  test("links that only scripts create are found, raw and rendered facts are stored separately, and the page is fetched once", async (t) => {
    const site = await startDemoSite();
    t.after(() => site.close());
    const origin = site.url.slice(0, -1);
    const start = origin + PLACES.rendered;
    // Rendering turns the discovery of requests on.
    const options = { discovery: ["spider" as const], checkResources: false, startFolder: true };
    const plain = await crawlInto(t, start, options);
    assert.deepEqual(Object.keys(facts(plain.database, origin, "status", ["verdict=crawl"])), [PLACES.rendered]);

    const before = site.requests().length;
    const { summary, database } = await crawlInto(t, start, {
      ...options,
      ...QUICK,
      include: [`${PLACES.rendered}*`, "/api/*"],
    });
    assert.equal(summary.state, "completed");
    const boats = facts(database, origin, "status via kind depth foundOn", [`url~${PLACES.rendered}/`]);
    assert.equal(Object.keys(boats).length, 6);
    for (const row of Object.values(boats)) assert.deepEqual(row, [200, "spider", "anchor", 1, PLACES.rendered]);
    const [titles] = query<{ raw: string; rendered: string; render: number; total: number; settled: number }>(
      database,
      `SELECT r.raw_title AS raw, p.title AS rendered, p.time_render AS render, p.time_total AS total, r.settled AS settled
       FROM pages p JOIN rendered r USING (id) WHERE p.id = 1`,
    );
    assert.deepEqual(
      [titles!.raw, titles!.rendered],
      ["Boat hire | Harbour & Line", "6 boats for hire | Harbour & Line"],
    );
    assert.ok(titles!.render > titles!.total, "rendering is not counted as the server's time");
    assert.equal(titles!.settled, 1);
    const documents = site
      .requests()
      .slice(before)
      .filter(({ target }) => target === PLACES.rendered);
    assert.equal(documents.length, 1);
    const marked = query<{ n: number }>(
      database,
      "SELECT count(*) AS n FROM links WHERE source = 1 AND flags & 16 <> 0",
    );
    assert.ok(marked[0]!.n >= 6);
    // Outside the start folder: found as a network request, and decided like any other.
    assert.deepEqual(facts(database, origin, "via kind reason")["/api/boats.json"], [
      "network",
      "request",
      "outside_folder",
    ]);
  });

  test("a rendered page is listed as it is after its scripts ran; the raw values are stored too", async (t) => {
    const noindex = "document.head.insertAdjacentHTML('beforeend', '<meta name=robots content=noindex>')";
    const canonical = "document.head.insertAdjacentHTML('beforeend', '<link rel=canonical href=/>')";
    const site = await tableSite(t, {
      "/": `<title>Start</title><a href=/noindex>a</a><a href=/canonical>b</a><a href=/app/x>c</a><a href=/plain>d</a><a href=/removed>e</a>`,
      "/noindex": `<title>Before</title><script>${noindex}; document.title = "After"</script>`,
      "/canonical": `<script>${canonical}</script>`,
      "/removed": "<meta name=robots content=noindex><script>document.querySelector('meta').remove()</script>",
      "/app/x": `<script>history.pushState({}, "", "/t/app/")</script><a href=./item>item</a>`,
      "/t/app/": "<title>Route</title>",
      "/t/app/item": "<title>Item</title>",
      "/plain": "<title>Plain</title><p>Some words &amp; more</p>",
    });
    const { database } = await crawlInto(t, site.url, { ...QUICK, discovery: ["spider"] });
    const { "/noindex": scripted, "/canonical": elsewhere } = facts(
      database,
      site.origin,
      "title rawTitle indexable indexability rawIndexable robotsMeta rawRobotsMeta canonical rawCanonical",
    );
    assert.deepEqual(scripted, ["After", "Before", false, "noindex_meta", true, "noindex", null, null, null]);
    assert.deepEqual(elsewhere, [null, null, false, "canonicalised", true, null, null, "/", null]);
    const verdicts = "indexable indexability rawIndexable rawIndexability rawIndexabilityEvidence";
    assert.deepEqual(facts(database, site.origin, verdicts)["/removed"], [
      ...[true, null, false, "noindex_meta", "meta robots: noindex"],
    ]);
    assert.deepEqual(facts(database, site.origin, "differs", ["differs!="]), {
      "/noindex": "title, robotsMeta, indexable",
      "/canonical": "canonical, outlinks, indexable",
      "/removed": "robotsMeta, indexable",
    });
    assert.deepEqual(facts(database, site.origin, "differs", ["differs~canonical"]), {
      "/canonical": "canonical, outlinks, indexable",
    });
    const { "/t/app/": route, "/t/app/item": item, ...others } = facts(database, site.origin, "kind foundOn status");
    assert.deepEqual(
      [route, item],
      [
        ["route", "/app/x", 200],
        ["anchor", "/app/x", 200],
      ],
    );
    assert.ok(!("/app/item" in others), "a link of the address before pushState");
  });

  test("through a SOCKS proxy with a password, the browser's own requests go the same way", async (t) => {
    const site = await tableSite(t, {
      "//shop.test/": "<title>Before</title><script src=/app.js></script>",
      "//shop.test/app.js": {
        type: "text/javascript",
        body: "fetch('/data').then((answer) => answer.text()).then((text) => { document.title = text; })",
      },
      "//shop.test/data": { type: "text/plain", body: "From the shop" },
    });
    const socks = await serveSocks(t, { wants: "me:secret" });
    const start = `http://shop.test:${site.port}/`;
    const { summary, database } = await crawlInto(t, start, { ...QUICK, proxy: socks.url("me:secret@") });
    assert.equal(summary.state, "completed");
    const [page] = query<{ title: string; settled: number }>(
      database,
      "SELECT p.title, r.settled FROM pages p JOIN rendered r USING (id) WHERE p.id = 1",
    );
    assert.deepEqual({ ...page }, { title: "From the shop", settled: 1 });
    // Type 3: the name itself is handed to the proxy, by the crawl and by the browser.
    assert.deepEqual([...new Set(socks.asked)], [`3 shop.test:${site.port}`]);
  });

  test("hash routes are pages only when asked for, each rendered at its own address", async (t) => {
    const app = `<body><main></main><script>
      const show = () => {
        document.title = "Route " + (location.hash || "none");
        document.querySelector("main").innerHTML = "<a href='#/about'>a</a> <a href='#!old'>b</a> <a href='#top'>c</a>";
      };
      onhashchange = show;
      show();
      if (location.hash === "#/about") location.hash = "#/from-script";
    </script>`;
    const site = await tableSite(t, { "/": app });
    const titles = async (renderHashRoutes: boolean) => {
      const { database } = await crawlInto(t, site.url, {
        ...QUICK,
        renderTabs: 1,
        discovery: ["spider"],
        renderHashRoutes,
      });
      return facts(database, site.origin, "title", ["verdict=crawl"]);
    };
    assert.deepEqual(await titles(false), { "/": "Route none" });
    assert.deepEqual(await titles(true), {
      "/": "Route none",
      "/#/about": "Route #/from-script",
      "/#!old": "Route #!old",
      "/#/from-script": "Route #/from-script",
    });
  });

  test("two crawls of pages that take their time give the same rows", async (t) => {
    const late = (script: string) => `<title>Before</title><body><script>${script}</script>`;
    const site = await tableSite(t, {
      "/": `<a href=/timers>a</a><a href=/frames>b</a><a href=/api>c</a><a href=/worker>d</a><a href=/reload>e</a>`,
      "/timers": late("for (const ms of [100, 900, 2500]) setTimeout(() => document.body.append(ms + ' '), ms)"),
      "/frames": late(
        "let n = 0; const f = () => { document.title = 'Frame ' + n; if (n++ < 50) requestAnimationFrame(f) }; f()",
      ),
      "/api": late("fetch('/data.json').then((a) => a.json()).then((all) => document.body.append(...all))"),
      "/data.json": { type: "application/json", body: '["one ", "two "]' },
      "/worker": late(
        "const w = new Worker('data:text/javascript,setTimeout(()=>postMessage(1),300)'); w.onmessage = () => { document.title = 'Worked' }",
      ),
      "/reload": late(
        "if (sessionStorage.a) document.title = 'Again'; else { sessionStorage.a = 1; location.reload() }",
      ),
    });
    const crawled = async () => {
      const { database } = await crawlInto(t, site.url, { ...QUICK, renderMax: 20, discovery: ["spider"] });
      return facts(database, site.origin, "title wordCount contentHash settled requests differs via kind foundOn");
    };
    const [one, two] = [await crawled(), await crawled()];
    assert.deepEqual(one, two);
    const titleOf = (path: string) => (one[path] as string[])[0];
    assert.deepEqual(["/frames", "/worker", "/reload"].map(titleOf), ["Frame 50", "Worked", "Again"]);
    assert.equal((one["/timers"] as number[])[1], 3);
    assert.equal((one["/timers"] as boolean[])[3], true);
  });

  test("a script cannot reach private addresses that the start does not name, unless the user allows it", async (t) => {
    const inner = await tableSite(t, {
      "/secret": { headers: { "access-control-allow-origin": "*" }, body: "secret" },
    });
    const script = `fetch("${inner.url}secret").then((answer) => answer.text()).catch(() => "refused")
      .then((text) => document.title = text)`;
    const site = await tableSite(t, { "/": `<title>Before</title><script>${script}</script>` });
    const titleAfter = async (allowPrivate: boolean) => {
      const { database } = await crawlInto(t, site.url, { ...QUICK, discovery: ["spider"], allowPrivate });
      return query<{ title: string }>(database, "SELECT title FROM rendered")[0]!.title;
    };
    assert.equal(await titleAfter(false), "refused");
    assert.deepEqual(inner.requests, []);
    assert.equal(await titleAfter(true), "secret");
  });

  test("the page's own requests have the crawl's cookies, and other hosts' requests have none", async (t) => {
    const other = await tableSite(t, { "/o.js": { type: "text/javascript", body: "" } });
    const site = await tableSite(t, {
      "/": { headers: { "set-cookie": "a=1; Path=/" }, body: '<a href="/app">app</a>' },
      "/app": `<script src="/app.js"></script><script src="${other.url.replace("127.0.0.1", "localhost")}o.js"></script>`,
      "/app.js": { type: "text/javascript", body: "document.title = document.cookie" },
    });
    const { database } = await crawlInto(t, site.url, { ...QUICK, discovery: ["spider"], allowPrivate: true });
    const titles = query<{ title: string }>(database, "SELECT title FROM rendered ORDER BY id");
    assert.equal(titles.at(-1)?.title, "a=1");
    assert.equal(site.requests.find(({ path }) => path === "/app.js")?.headers.cookie, "a=1");
    assert.ok(other.requests.length > 0);
    assert.ok(other.requests.every(({ headers }) => headers.cookie === undefined));
  });

  test("the browser's requests are in the trace, and the stored HTML is that of the rendered page", async (t) => {
    const site = await tableSite(t, {
      "/": "<title>Before</title><script src=/app.js></script><script src=/moved.js></script>",
      "/app.js": {
        type: "text/javascript",
        body: "fetch('/data', { headers: { 'X-Key': 'hidden' } }).then(() => { document.title = 'After'; })",
      },
      "/moved.js": { status: 302, headers: { location: "/late.js" } },
      "/late.js": { type: "text/javascript", body: "" },
      "/data": { type: "text/plain", body: "12345" },
    });
    const database = join(temporaryFolder(t), "crawl.db");
    const reports: ExchangeReport[] = [];
    const options = { ...QUICK, discovery: ["spider" as const], checkResources: false, storeHtml: true };
    const run = await SiteCrawl.start({
      store: () => sqliteSiteStore(database),
      config: parseConfig({ ...options, maxUrls: 1, detectSoft404: false, headers: { "X-Key": "own" } }),
      startUrls: [site.url],
      sources: seedSources({ via: "initial", batches: inOneBatch(site.url) }),
      onExchange: (report) => reports.push(report),
    });
    await run.ended;
    const path = (url: string) => new URL(url).pathname;
    const own = reports.filter(({ page }) => page === undefined).map(({ url }) => path(url));
    assert.deepEqual(own.toSorted(), ["/", "/robots.txt"], "Trawl's own requests");
    const sent = reports.filter(({ page }) => page === site.url);
    assert.deepEqual(
      sent.map(({ url, method, status, error }) => [path(url), method, status, error]).toSorted(),
      ["/app.js", "/data", "/late.js", "/moved.js"].map((at) => [at, "GET", at === "/moved.js" ? 302 : 200, null]),
    );
    const data = sent.find(({ url }) => path(url) === "/data")!;
    assert.equal(data.requestHeaders.find(([name]) => name === "x-key")?.[1], "…");
    assert.ok(data.wireBytes >= 5 && data.wireBytes < 100, `${data.wireBytes} bytes`);
    assert.ok(data.timings.total >= data.timings.firstByte && data.timings.total < 60_000);
    const reader = new SiteReader(database);
    t.after(() => reader.close());
    assert.match(readHtml(reader, 1)!, /<title>After<\/title>/);
  });

  test("a crawl that cannot start leaves no browser behind", async (t) => {
    const database = join(temporaryFolder(t), "crawl.db");
    const config = parseConfig({ ...QUICK, exclude: ["/(/"] });
    const url = "http://127.0.0.1:1/";
    async function* batches() {
      yield [url];
    }
    const starting = SiteCrawl.start({
      store: () => sqliteSiteStore(database),
      config,
      startUrls: [url],
      sources: seedSources({ via: "initial", batches: batches() }),
    });
    await assert.rejects(starting, { code: "BAD_CONFIG" });
    const children = process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap");
    assert.deepEqual(children, []);
  });

  const asSent = (script: string) => `<!doctype html><title>As sent</title><p>Text<script>${script}</script>`;

  /** One page at a time, each with the problem it has, and how the crawl's end puts it. */
  async function problemsOf(
    t: TestContext,
    pages: Record<string, readonly [string | null, string]>,
    options: CrawlOptions,
  ) {
    const paths = Object.entries(pages);
    const site = await tableSite(t, {
      ...Object.fromEntries(paths.map(([path, [, script]]) => [path, asSent(script)])),
      "/": paths.map(([path]) => `<a href="${path}">x</a>`).join(""),
    });
    const { summary, database } = await crawlInto(t, site.url, {
      ...QUICK,
      ...{ renderTabs: 1, discovery: ["spider"], exclude: ["*/data?*"], ...options },
    });
    assert.equal(summary.state, "completed");
    const found = facts(database, site.origin, "renderProblem", ["outcome=page", "url!~/data"]);
    assert.deepEqual(found, { "/": null, ...Object.fromEntries(paths.map(([path, [problem]]) => [path, problem])) });
    const raw = facts(database, site.origin, "rawTitle", ["renderProblem!="]);
    assert.deepEqual(new Set(Object.values(raw)), new Set(["As sent"]));
    return summary.message;
  }

  test("a page that does not settle says why, and the crawl's end says how many", async (t) => {
    const pages = {
      "/dom": ["still_changing", "(function f() { document.body.append('x'); setTimeout(f, 20) })()"],
      "/console": ["console_flood", "for (let n = 0; n < 3000; n++) console.log(n)"],
      "/calm": [null, "document.title = 'Calm'"],
    } as const;
    // They end with their own time, which passes quickly in large slices: of real time there is plenty, on any machine.
    const message = await problemsOf(t, pages, { renderSettle: 1, renderMax: 60 });
    assert.equal(message, "2 pages did not settle while being rendered. List them with `--filter renderProblem!=`.");
  });

  test("so does one that only the end of the real time stops", async (t) => {
    const pages = {
      "/fetch": ["still_requesting", "(function f() { fetch('/data?' + Math.random()).then(f) })()"],
      "/spin": ["script_stopped", "for (;;);"],
    } as const;
    await problemsOf(t, pages, { renderMax: 8 });
  });
});
