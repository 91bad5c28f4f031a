/** What belongs to the crawl: hosts, folders, patterns, depth. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crawlInto, facts, query } from "./crawling.ts";
import { linking, tableSite } from "./table-site.ts";

const SPIDER = { discovery: ["spider" as const], checkResources: false };

test("subdomains belong to the site, neighbours do not; without subdomains, only the host and its www do", async (t) => {
  const hosts = ["www.example.com", "docs.example.com", "a.b.example.com", "example.org", "notexample.com"];
  const site = await tableSite(t, {
    "//example.com/": linking(...hosts.map((host) => `http://${host}/`)),
    "/": "<p>x",
  });
  const options = { ...SPIDER, connectTo: [`::127.0.0.1:${site.port}`] };
  const all = await crawlInto(t, "http://example.com/", options);
  assert.deepEqual(facts(all.database, "", "verdict reason"), {
    "http://example.com/": ["crawl", null],
    "http://www.example.com/": ["crawl", null],
    "http://docs.example.com/": ["crawl", null],
    "http://a.b.example.com/": ["crawl", null],
    "http://example.org/": ["record", "external"],
    "http://notexample.com/": ["record", "external"],
  });
  const asked = new Set(site.requests.map(({ host }) => host));
  assert.deepEqual(asked, new Set(["example.com", "www.example.com", "docs.example.com", "a.b.example.com"]));

  const one = await crawlInto(t, "http://example.com/", { ...options, includeSubdomains: false });
  const crawled = Object.keys(facts(one.database, "", "url", ["verdict=crawl"]));
  assert.deepEqual(crawled, ["http://example.com/", "http://www.example.com/"]);
});

test("several hosts in one crawl: allowed domains are the site, as they are written, with their subdomains or without", async (t) => {
  const hosts = ["docs.example.net", "v2.docs.example.net", "example.net", "xn--mnchen-3ya.test", "other.test"];
  const site = await tableSite(t, {
    "//example.com/": linking(...hosts.map((host) => `http://${host}/`)),
    "//docs.example.net/": linking("/a"),
    "/": "<p>x",
    "/a": "<p>x",
  });
  const options = {
    ...SPIDER,
    connectTo: [`::127.0.0.1:${site.port}`],
    allowedDomains: ["Docs.Example.net", "https://münchen.test/"],
  };
  const crawled = async (more: object) => {
    const { database } = await crawlInto(t, "http://example.com/", { ...options, ...more });
    return Object.keys(facts(database, "http://", "url", ["verdict=crawl"]));
  };
  const site1 = [
    "example.com/",
    "docs.example.net/",
    "v2.docs.example.net/",
    "xn--mnchen-3ya.test/",
    "docs.example.net/a",
  ];
  assert.deepEqual(await crawled({}), site1);
  assert.deepEqual(
    await crawled({ includeSubdomains: false }),
    site1.filter((url) => !url.startsWith("v2")),
  );
  await assert.rejects(crawled({ allowedDomains: ["not a host"] }), { code: "BAD_CONFIG" });
});

test("a link that cannot be parsed is a row with that reason, with the pages that have it", async (t) => {
  const broken = ["http://exa mple.com/", "https://[::1/", "//host:port/", "http://%zz/x"];
  const site = await tableSite(t, {
    "/": `${linking(...broken, "mailto:a@example.com", "javascript:void 0", "/a")}<img src="http://a b/c.png">`,
    "/a": linking(broken[0]!),
  });
  const { database, summary } = await crawlInto(t, site.url);
  assert.equal(summary.state, "completed");
  const rows = facts(database, site.origin, "verdict kind foundOn", ["reason=invalid_url"]);
  assert.deepEqual(rows, {
    ...Object.fromEntries(broken.map((url) => [url, ["skip", "anchor", "/"]])),
    "http://a b/c.png": ["skip", "image", "/"],
  });
  const sources = query<{ n: number }>(
    database,
    "SELECT count(DISTINCT source) AS n FROM links JOIN urls ON urls.id = target WHERE url = ?",
    broken[0]!,
  );
  assert.equal(sources[0]!.n, 2);
});

test("the start folder, include, exclude and depth, each with its rule", async (t) => {
  const site = await tableSite(t, {
    "/docs/": linking("/docs/a", "/docs/draft/b", "/blog/", "../docs/c.pdf", "/"),
    "/docs/a": linking("/docs/deep"),
    "/docs/deep": linking("/docs/deeper"),
    "/docs/deeper": "<p>x",
  });
  const start = `${site.url}docs/`;
  const folder = await crawlInto(t, start, { ...SPIDER, startFolder: true });
  const outside = facts(folder.database, site.origin, "reason rule", ["verdict=skip"]);
  assert.deepEqual(outside, {
    "/blog/": ["outside_folder", "folders: /docs/"],
    "/": ["outside_folder", "folders: /docs/"],
  });

  const patterns = { include: ["/docs/*"], exclude: ["*.pdf", "/\\/draft\\//"] };
  const filtered = await crawlInto(t, start, { ...SPIDER, ...patterns });
  assert.deepEqual(facts(filtered.database, site.origin, "reason rule", ["verdict=skip"]), {
    "/docs/draft/b": ["excluded", "/\\/draft\\//"],
    "/blog/": ["not_included", "include: /docs/*"],
    "/docs/c.pdf": ["excluded", "*.pdf"],
    "/": ["not_included", "include: /docs/*"],
  });

  const shallow = await crawlInto(t, start, { ...SPIDER, maxDepth: 2 });
  const rows = facts(shallow.database, site.origin, "depth reason rule");
  assert.deepEqual(rows["/docs/deep"], [2, null, null]);
  assert.deepEqual(rows["/docs/deeper"], [3, "too_deep", "maxDepth 2"]);
});

test("links to other hosts, when they are checked: requested, but not read", async (t) => {
  const other = await tableSite(t, { "/a": linking("/never") });
  const site = await tableSite(t, { "/": `<a href=${other.url}a>a</a><a href=${other.url}b rel=nofollow>b</a>` });
  const options = { ...SPIDER, checkExternalLinks: true, allowPrivate: true };
  const { database } = await crawlInto(t, site.url, options);
  const rows = facts(database, other.origin, "status reason rule");
  assert.deepEqual(
    [rows["/a"], rows["/b"]],
    [
      [200, null, null],
      [null, "nofollow", "followExternalNofollow"],
    ],
  );
  assert.deepEqual(other.asked(), ["HEAD /a"]);
});

test("two spellings of one page are one URL; trackers and framework data get their reason and are not fetched", async (t) => {
  const site = await tableSite(t, {
    "/": linking(
      "/a?utm_source=x",
      "/a#top",
      "/%61",
      "/a?b=1&a=2",
      "/a?a=2&b=1",
      "/gtag/js?id=1",
      "/_next/data/x/a.json",
    ),
    "/a": "<p>x",
  });
  const { database } = await crawlInto(t, site.url, { ...SPIDER, sortQuery: true });
  assert.deepEqual(facts(database, site.origin, "verdict reason", ["depth=1"]), {
    "/a": ["crawl", null],
    "/a?a=2&b=1": ["crawl", null],
    "/gtag/js?id=1": ["skip", "tracker"],
    "/_next/data/x/a.json": ["record", "framework_data"],
  });
});

test("a trap is limited by its pattern, and the pattern is reported", async (t) => {
  const table: Record<string, string> = { "/": linking("/calendar/2026/1", "/real/a", "/real/b") };
  for (let month = 1; month < 40; month++) table[`/calendar/2026/${month}`] = linking(`/calendar/2026/${month + 1}`);
  const site = await tableSite(t, table);
  const { summary, database } = await crawlInto(t, site.url, { ...SPIDER, maxUrlsPerPattern: 5 });
  assert.equal(summary.crawled, 8);
  assert.deepEqual(facts(database, site.origin, "rule", ["verdict=skip"]), {
    "/calendar/2026/6": `maxUrlsPerPattern 5: ${site.origin}/calendar/N/N`,
  });
});
