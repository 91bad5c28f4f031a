/** How crawls end: one that got nothing says so, with the cause and the next step; a limit, a stop and a pause are distinguished. */
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { test } from "node:test";
import { temporaryApp } from "../../src/app/testing/temporary-app.ts";
import { crawl } from "../../src/index.ts";
import { makeCertificate } from "../../src/net/testing/certificate.ts";
import { serveHttp, serveHttps, serveTcp } from "../../src/net/testing/servers.ts";

type Answer = [status: number, headers?: Record<string, string>, body?: string];

/** Answers by path; every other path is 404. */
const site =
  (answers: Record<string, Answer>): RequestListener =>
  (request, response) => {
    const [status, headers = {}, body = ""] = answers[request.url ?? "/"] ?? [404];
    response.writeHead(status, { "content-type": "text/html", ...headers }).end(body);
  };

const PAGE: Answer = [200, {}, "<title>Page</title><p>Words"];
const to = (location: string, status = 302): Answer => [status, { location }];
const robots = (text: string): Answer => [200, { "content-type": "text/plain" }, text];

interface Case {
  name: string;
  answers: Record<string, Answer>;
  settings?: Record<string, unknown>;
  end: [state: string, cause: string];
  says: RegExp;
}

const CASES: Case[] = [
  {
    name: "robots.txt disallows the start",
    answers: { "/robots.txt": robots("User-agent: *\nDisallow: /"), "/": PAGE },
    end: ["blocked", "robots_disallow"],
    says: /robots\.txt disallows it\..*line 2: Disallow: \/.*`--robots ignore`/,
  },
  {
    name: "robots.txt fails with 503",
    answers: { "/robots.txt": [503], "/": PAGE },
    end: ["blocked", "robots_unreachable"],
    says: /robots\.txt answered 503.*Try again later/,
  },
  {
    name: "the start redirects to another host",
    answers: { "/": to("https://www.example.org/") },
    end: ["failed", "redirect_elsewhere"],
    says: /redirects to https:\/\/www\.example\.org\/, which is outside this crawl\. Crawl www\.example\.org instead\.$/,
  },
  {
    name: "the start redirects to another host at the third step",
    answers: { "/": to("/a"), "/a": to("/b", 301), "/b": to("https://www.example.org/start") },
    end: ["failed", "redirect_elsewhere"],
    says: /Crawl https:\/\/www\.example\.org\/start instead/,
  },
  {
    name: "the start redirects to another host, whose links are checked",
    answers: { "/": to("http://localhost:1/") },
    settings: { checkExternalLinks: true, allowPrivate: true },
    end: ["failed", "redirect_elsewhere"],
    says: /Crawl http:\/\/localhost:1\/ instead/,
  },
  {
    name: "the start is a page that leads to another host at once",
    answers: {
      "/": [200, {}, "<meta http-equiv=refresh content='0; url=https://www.example.org/'><title>Moved</title>"],
    },
    end: ["failed", "redirect_elsewhere"],
    says: /redirects to https:\/\/www\.example\.org\/, which is outside this crawl\. Crawl www\.example\.org instead\.$/,
  },
  {
    name: "the start is a page whose header leads to a page that leads to another host",
    answers: {
      "/": [200, { refresh: "0; url=/in" }, "<title>In</title>"],
      "/in": [200, { refresh: "0; url=https://www.example.org/" }, "<title>Out</title>"],
    },
    end: ["failed", "redirect_elsewhere"],
    says: /\/ redirects to https:\/\/www\.example\.org\/, which is outside/,
  },
  {
    name: "a page that loads itself again, and one that leads on after a while",
    answers: {
      "/": [200, { refresh: "0; url=/" }, "<a href=/a>a"],
      "/a": [200, { refresh: "9; url=https://x.example/" }],
    },
    end: ["completed", "all_crawled"],
    says: /^$/,
  },
  {
    name: "a start that leads to another page of the site",
    answers: { "/": [200, { refresh: "0; url=/a" }, "<title>In</title>"], "/a": PAGE },
    end: ["completed", "all_crawled"],
    says: /^$/,
  },
  {
    name: "the start redirects to itself",
    answers: { "/": to("/") },
    end: ["failed", "redirect_loop"],
    says: /redirects to itself\..*cookie/,
  },
  {
    name: "redirects in a circle",
    answers: { "/": to("/a"), "/a": to("/b"), "/b": to("/a") },
    end: ["failed", "redirect_loop"],
    says: /redirects in a circle: .*\/a → .*\/b, and back/,
  },
  {
    name: "too many redirects",
    answers: { "/": to("/1"), "/1": to("/2"), "/2": to("/3"), "/3": PAGE },
    settings: { maxRedirects: 2 },
    end: ["failed", "too_many_redirects"],
    says: /too many redirects.*`maxRedirects`/,
  },
  {
    name: "a redirect without a target",
    answers: { "/": [302] },
    end: ["failed", "redirect_nowhere"],
    says: /answered 302, a redirect without an address/,
  },
  {
    name: "a redirect to what robots.txt disallows",
    answers: { "/robots.txt": robots("User-agent: *\nDisallow: /private"), "/": to("/private"), "/private": PAGE },
    end: ["blocked", "robots_disallow"],
    says: /\/private, which .* redirects to, was not crawled: robots\.txt disallows it/,
  },
  {
    name: "a start that does not exist",
    answers: {},
    end: ["failed", "error_status"],
    says: /answered 404\. Check the address/,
  },
  {
    name: "a start that does not exist, with an error page and its style sheet",
    answers: {
      "/": [404, {}, "<link rel=stylesheet href=/style.css><a href=/gone>Gone"],
      "/style.css": [200, { "content-type": "text/css" }, "a{}"],
    },
    end: ["failed", "error_status"],
    says: /answered 404/,
  },
  {
    name: "a server that fails",
    answers: { "/": [500] },
    end: ["failed", "error_status"],
    says: /answered 500\. The server fails: try again later/,
  },
  {
    name: "a start that asks for a login",
    answers: { "/": [401] },
    end: ["blocked", "refused"],
    says: /answered 401\..*`--auth`/,
  },
  {
    name: "a start that is refused",
    answers: { "/": [403, {}, "<title>Forbidden"] },
    end: ["blocked", "refused"],
    says: /answered 403\..*`--user-agent`/,
  },
  {
    name: "a start that is a bot check",
    answers: { "/": [403, { "cf-mitigated": "challenge" }, "<title>Just a moment...</title>"] },
    end: ["blocked", "challenge"],
    says: /answered with a bot check \(Cloudflare\) instead of the page\. .*allow this crawler/,
  },
  {
    name: "a start that is a bot check with 200, on a site that has a sitemap",
    answers: {
      "/": [200, {}, "<script>sucuri_cloudproxy_js=''</script><a href=/a>a</a>"],
      "/sitemap.xml": [200, { "content-type": "application/xml" }, "<urlset><url><loc>/a</loc></url></urlset>"],
      "/a": [200, {}, "<script>sucuri_cloudproxy_js=''</script>"],
    },
    settings: { discovery: ["spider", "sitemap"] },
    end: ["blocked", "challenge"],
    says: /answered with a bot check \(Sucuri\)/,
  },
  {
    name: "a redirect that the rules exclude",
    answers: { "/": to("/old/"), "/old/": PAGE },
    settings: { exclude: ["*/old/*"] },
    end: ["blocked", "excluded"],
    says: /matches an exclude pattern.*`exclude`/,
  },
  { name: "one page without links", answers: { "/": PAGE }, end: ["completed", "all_crawled"], says: /^$/ },
  {
    name: "a page that says noindex and nofollow",
    answers: { "/": [200, {}, "<meta name=robots content='noindex,nofollow'><a href=/a>a"] },
    settings: { respectNoindex: true },
    end: ["completed", "all_crawled"],
    says: /^$/,
  },
  {
    name: "a file",
    answers: { "/": [200, { "content-type": "application/pdf" }, "%PDF"] },
    end: ["completed", "all_crawled"],
    says: /\/ is a file \(application\/pdf\), and no page was found\. To follow links, start with a page\.$/,
  },
  {
    name: "a start without content",
    answers: { "/": [204] },
    end: ["failed", "no_content"],
    says: /\/ answered 204, without content\. Start with a page that has content\.$/,
  },
  {
    name: "a start that says not modified, though it was not asked for changes",
    answers: { "/": [304] },
    end: ["failed", "no_content"],
    says: /\/ answered 304, without content\./,
  },
  {
    name: "a start that redirects to what has no content",
    answers: { "/": to("/in"), "/in": [204] },
    end: ["failed", "no_content"],
    says: /\/in, which .* redirects to, answered 204, without content\./,
  },
  {
    name: "a start without content, on a site that has a sitemap",
    answers: {
      "/": [204],
      "/sitemap.xml": [200, { "content-type": "application/xml" }, "<urlset><url><loc>/a</loc></url></urlset>"],
      "/a": PAGE,
    },
    settings: { discovery: ["spider", "sitemap"] },
    end: ["completed", "all_crawled"],
    says: /answered 204, without content/,
  },
  {
    name: "a start that does not exist, on a site that has a sitemap",
    answers: {
      "/sitemap.xml": [200, { "content-type": "application/xml" }, "<urlset><url><loc>/a</loc></url></urlset>"],
      "/a": PAGE,
    },
    settings: { discovery: ["spider", "sitemap"] },
    end: ["completed", "all_crawled"],
    says: /answered 404/,
  },
  {
    name: "a limit on URLs",
    answers: { "/": [200, {}, "<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>"], "/1": PAGE, "/2": PAGE, "/3": PAGE },
    settings: { maxUrls: 2 },
    end: ["limit_reached", "url_limit"],
    says: /^The limit of 2 URLs was reached: 2 URLs that the crawl found were left out\. .*`maxUrls`/,
  },
  {
    name: "a limit on pages",
    answers: {
      "/": [200, {}, "<a href=/moved>m</a><a href=/none>n</a><a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>"],
      "/moved": [301, { location: "/1" }, ""],
      ...{ "/1": PAGE, "/2": PAGE, "/3": PAGE },
    },
    settings: { maxPages: 3 },
    end: ["limit_reached", "page_limit"],
    says: /^The limit of 3 pages was reached: 1 URL that the crawl found was left out\. .*`maxPages` \(--max-pages\)/,
  },
  {
    name: "a limit on URLs of a host",
    answers: { "/": [200, {}, "<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>"], "/1": PAGE, "/2": PAGE, "/3": PAGE },
    settings: { maxUrlsPerHost: 2 },
    end: ["limit_reached", "host_url_limit"],
    says: /^The limit of 2 URLs per host was reached: 2 URLs that the crawl found were left out\. .*`maxUrlsPerHost`/,
  },
  {
    name: "a limit that is just enough",
    answers: { "/": [200, {}, "<a href=/1>1</a>"], "/1": PAGE },
    settings: { maxUrls: 2 },
    end: ["completed", "all_crawled"],
    says: /^$/,
  },
  {
    name: "a limit on depth is what was asked for",
    answers: { "/": [200, {}, "<a href=/1>1</a>"], "/1": [200, {}, "<a href=/2>2</a>"], "/2": PAGE },
    settings: { maxDepth: 1 },
    end: ["completed", "all_crawled"],
    says: /^$/,
  },
];

for (const { name, answers, settings = {}, end, says } of CASES) {
  test(`${name}: ${end[0]}`, async (t) => {
    const { origin } = await serveHttp(t, site(answers));
    const { app, crawl: crawlApp } = temporaryApp(t, {});
    const given = { discovery: ["spider", "resources"] as const, retries: 0, ...settings };
    const id = await crawlApp(`${origin}/`, given);
    const { state, message, ending } = app.crawlData.info(id);
    assert.deepEqual([state, ending?.cause], end);
    assert.match(message ?? "", says);
    // Every surface says the same.
    const described = await app.crawlData.describe(id, 5);
    assert.deepEqual([described.crawl.state, described.crawl.message], [state, message]);
    assert.equal(described.problem === null, state === "completed" || state === "limit_reached");
    assert.deepEqual(app.activeCrawls.live(id).progress.state, state);
    const summary = await crawl(`${origin}/`, given as object).summary;
    const anonymous = (text: string | null) => text?.replaceAll(/robots\.txt line \d/g, "");
    assert.deepEqual([summary.state, anonymous(summary.message)], [state, anonymous(message)]);
    assert.equal(summary.totalPages, app.crawlData.info(id).pagesCrawled);
  });
}

test("no answer (refused, silent, not TLS): failed, with the error and its hint", async (t) => {
  const { app, crawl: crawlApp } = temporaryApp(t);
  const silent = await serveTcp(t, () => {});
  const secure = await serveHttps(t, await makeCertificate("localhost"), site({ "/": PAGE }));
  // Only the silent server's time is short: on a busy machine the others would look silent, too.
  const starts: [url: string, says: RegExp, timeout?: number][] = [
    ["http://127.0.0.1:1/", /did not answer\. The server refused the connection.* on that port: check the address/],
    [`${silent.origin}/`, /did not answer\. .*took too long/, 1],
    [`${secure.origin}/`, /did not answer\. The secure connection failed/],
    ["http://nowhere.invalid/", /did not answer\. The host name (does not exist|could not be looked up)/],
  ];
  for (const [url, says, timeout = 100] of starts) {
    const id = await crawlApp(url, { retries: 0, timeout });
    const { state, message, ending } = app.crawlData.info(id);
    assert.deepEqual([state, ending?.cause], ["failed", "no_answer"], url);
    assert.match(message!, says);
  }
});

async function crawlList(t: Parameters<typeof temporaryApp>[0], lines: string[], settings: object = {}) {
  const { app } = temporaryApp(t);
  const given = { settings: { retries: 0, ...settings }, since: null };
  const { crawlId } = await app.activeCrawls.startList(Readable.from([lines.join("\n")]), given);
  await app.activeCrawls.ended(crawlId);
  return app.crawlData.info(crawlId);
}

test("a list is complete when some of it answered, and failed when none of it did", async (t) => {
  const { origin } = await serveHttp(t, site({ "/": PAGE }));
  const some = await crawlList(t, [`${origin}/`, "http://127.0.0.1:1/", `${origin}/gone`]);
  assert.deepEqual([some.state, some.message, some.pagesCrawled], ["completed", null, 1]);
  const dead = await crawlList(t, [`${origin}/gone`]);
  assert.deepEqual([dead.state, dead.pagesCrawled], ["completed", 0], "a dead link is an answer");
  const none = await crawlList(t, ["http://127.0.0.1:1/a", "http://127.0.0.1:1/b"]);
  assert.deepEqual([none.state, none.ending?.cause], ["failed", "no_answer"]);
  assert.match(none.message!, /^None of the 2 URLs answered\. The first: .* refused the connection/);
});

test("a list that robots.txt keeps out is blocked", async (t) => {
  const { origin } = await serveHttp(t, site({ "/robots.txt": robots("User-agent: *\nDisallow: /") }));
  const { state, message } = await crawlList(t, [`${origin}/a`, `${origin}/b`]);
  assert.equal(state, "blocked");
  assert.match(message!, /^None of the 2 URLs may be crawled\. The first: .*robots\.txt disallows it/);
});

/** A site whose second page never answers, so that the crawl is under way for as long as the test wants. */
const slowSite: RequestListener = (request, response) => {
  if (request.url === "/")
    response.writeHead(200, { "content-type": "text/html" }).end("<a href=/1>1</a><a href=/2>2</a>");
  else if (request.url === "/robots.txt") response.writeHead(404).end();
};

test("stop makes a crawl stopped, with its analysis; pause and the end of the process leave it paused", async (t) => {
  const { origin } = await serveHttp(t, slowSite);
  const { app, reached } = temporaryApp(t);
  const start = async () => {
    const settings = { discovery: ["spider" as const], parallelism: 1 };
    const { crawlId } = await app.activeCrawls.start({ url: `${origin}/`, settings, since: null });
    await reached(crawlId, ({ urlsCrawled }) => urlsCrawled === 1);
    return crawlId;
  };
  const stopped = await start();
  await app.activeCrawls.stop(stopped);
  const { state, message, ending, pagesCrawled } = app.crawlData.info(stopped);
  assert.deepEqual([state, ending?.left, pagesCrawled], ["stopped", 2, 1]);
  assert.match(message!, /^Stopped by request, with 2 URLs still queued\./);
  const db = new DatabaseSync(app.home.crawlDatabase(stopped), { readOnly: true });
  const indexes = db.prepare("SELECT name FROM sqlite_schema WHERE name = 'links_target'").all();
  db.close();
  assert.equal(indexes.length, 1, "what is built at the end of a crawl exists");
  const left = await start();
  await app.activeCrawls.close();
  assert.equal(app.crawls.get(left).state, "paused");
});

test("a paused crawl without a process can be stopped, and a stopped one resumed", async (t) => {
  const { origin } = await serveHttp(t, site({ "/": [200, {}, "<a href=/1>1</a>"], "/1": PAGE }));
  const { app, crawl: crawlApp } = temporaryApp(t);
  const id = await crawlApp(`${origin}/`);
  const { registry } = app.crawls;
  const record = registry.crawl(id);
  registry.updateCrawl(id, { ...record, state: "paused", ending: null, message: null });
  await app.activeCrawls.stop(id);
  assert.equal(app.crawls.get(id).state, "stopped");
  await app.activeCrawls.stop(id);
  assert.equal(app.crawls.get(id).state, "stopped");
  await app.activeCrawls.resume(id);
  await app.activeCrawls.ended(id);
  assert.equal(app.crawls.get(id).state, "completed");
});

test("crawls of an older version get the end that they had, and their pages", async (t) => {
  const { origin } = await serveHttp(t, site({ "/": [200, {}, "<a href=/1>1</a><a href=/2>2</a>"], "/1": PAGE }));
  const { app, crawl: crawlApp } = temporaryApp(t);
  const ids = [
    await crawlApp(`${origin}/`),
    await crawlApp(`${origin}/gone`, { retries: 0 }),
    await crawlApp(`${origin}/`, { maxUrls: 1 }),
    await crawlApp(`${origin}/`),
  ];
  const { db } = app.crawls.registry;
  db.prepare("UPDATE crawls SET pages = NULL, ending = NULL, message = NULL, state = 'completed'").run();
  db.prepare("UPDATE crawls SET state = 'failed', message = 'disk full' WHERE id = ?").run(ids[3]!);
  assert.deepEqual(
    app.crawls.list().map(({ state, pages, ending }) => [state, pages, ending?.cause]),
    [
      ["failed", 2, undefined],
      ["limit_reached", 1, "url_limit"],
      ["failed", 0, "error_status"],
      ["completed", 2, "all_crawled"],
    ],
  );
  assert.equal(app.crawls.get(ids[3]!).message, "disk full");
});
