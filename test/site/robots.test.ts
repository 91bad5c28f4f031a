/** robots.txt in whole crawls: the three modes, other hosts, and invalid answers. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { crawl } from "../../src/index.ts";
import { crawlInto, facts, temporaryFolder } from "./crawling.ts";
import { linking, redirect, tableSite, text } from "./table-site.ts";

const SPIDER = { discovery: ["spider" as const], checkResources: false };
const RULES = text("User-agent: *\nDisallow: /private\n");

test("respect, ignore, and ignore but report", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/open", "/private/a"),
    "/robots.txt": RULES,
    "/open": "<p>x",
    "/private/a": linking("/private/b"),
    "/private/b": "<p>x",
  });
  const rule = "/robots.txt line 2: Disallow: /private";
  const crawled = async (robots: "respect" | "ignore" | "ignore-report") => {
    const { database, summary } = await crawlInto(t, site.url, { ...SPIDER, robots });
    const rows = facts(database, site.origin, "verdict reason rule indexability");
    return { rows, reasons: summary.reasons };
  };

  const respected = await crawled("respect");
  assert.deepEqual(respected.rows["/private/a"], ["skip", "robots_disallow", rule, null]);
  assert.ok(!("/private/b" in respected.rows));
  assert.deepEqual(respected.reasons, { robots_disallow: 1 });
  assert.deepEqual(site.asked(), ["GET /", "GET /open"]);

  const ignored = await crawled("ignore");
  assert.deepEqual(ignored.rows["/private/b"], ["crawl", null, null, null]);
  assert.deepEqual(ignored.reasons, {});

  const reported = await crawled("ignore-report");
  assert.deepEqual(reported.rows["/private/a"], ["crawl", "robots_ignored", rule, "robots_disallow"]);
  assert.deepEqual(reported.rows["/open"], ["crawl", null, null, null]);
  assert.deepEqual(reported.reasons, { robots_ignored: 2 });
});

test("whether Google may list a page depends on what robots.txt says to Google", async (t) => {
  const rules = "User-agent: *\nDisallow: /for-google\n\nUser-agent: Googlebot\nDisallow: /not-for-google\n";
  const site = await tableSite(t, {
    "/": linking("/for-google", "/not-for-google"),
    "/robots.txt": text(rules),
    "/for-google": "<p>x",
    "/not-for-google": "<p>x",
  });
  const asked = "verdict reason indexable indexability indexabilityEvidence";
  const crawled = async (robots: "respect" | "ignore-report") => {
    const { database } = await crawlInto(t, site.url, { ...SPIDER, robots });
    return facts(database, site.origin, asked, ["depth=1"]);
  };
  const closed = ["crawl", null, false, "robots_disallow", "/robots.txt line 5: Disallow: /not-for-google"];
  const respected = await crawled("respect");
  assert.deepEqual(respected["/not-for-google"], closed);
  const reported = await crawled("ignore-report");
  assert.deepEqual(reported["/not-for-google"], closed);
  assert.deepEqual(reported["/for-google"], ["crawl", "robots_ignored", true, null, null]);
});

test("a server that fails: nothing is fetched, not even the sitemap", async (t) => {
  const site = await tableSite(t, { "/": linking("/a"), "/robots.txt": text("oops", 503) });
  const { summary, database } = await crawlInto(t, site.url, { retries: 1 });
  assert.deepEqual(facts(database, site.origin, "verdict reason"), {
    "/": ["skip", "robots_unreachable"],
    "/sitemap.xml": ["skip", "robots_unreachable"],
  });
  assert.deepEqual([summary.state, summary.crawled, summary.open], ["blocked", 0, 0]);
  assert.deepEqual(new Set(site.requests.map(({ path }) => path)), new Set(["/robots.txt"]));
  assert.equal(site.requests.length, 2);
});

test("no such file, or an HTML page in its place: everything is allowed", async (t) => {
  for (const answer of [text("no", 403), "<!doctype html><title>Not found</title>"]) {
    const site = await tableSite(t, { "/": "<p>x", "/robots.txt": answer });
    const { summary } = await crawlInto(t, site.url, SPIDER);
    assert.equal(summary.crawled, 1);
  }
});

test("a robots.txt that is somewhere else is found, at one request at a time too", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/private"),
    "/robots.txt": redirect("/rules/robots.txt"),
    "/rules/robots.txt": RULES,
  });
  const { database } = await crawlInto(t, site.url, { ...SPIDER, parallelism: 1 });
  assert.equal(facts(database, site.origin, "reason")["/private"], "robots_disallow");
});

test("each host has its own: for the site it is read before URLs are decided, for others before they are requested", async (t) => {
  const other = await tableSite(t, { "/robots.txt": RULES, "/private.png": "x", "/open.png": "x" });
  const site = await tableSite(t, {
    "//example.com/": `${linking("http://docs.example.com/private")}
      <img src="${other.url}private.png"><img src="${other.url}open.png">`,
    "//docs.example.com/robots.txt": RULES,
  });
  const { database } = await crawlInto(t, "http://example.com/", {
    discovery: ["spider"],
    connectTo: ["example.com", "docs.example.com"].map((host) => `${host}:80:127.0.0.1:${site.port}`),
    allowPrivate: true,
  });
  const rows = facts(database, other.origin, "verdict reason");
  assert.deepEqual(rows["http://docs.example.com/private"], ["skip", "robots_disallow"]);
  assert.deepEqual(rows["/private.png"], ["skip", "robots_disallow"]);
  assert.deepEqual(rows["/open.png"], ["crawl", null]);
  assert.deepEqual(other.asked(), ["HEAD /open.png"]);
  const asked = site.requests.map(({ host, path }) => host + path);
  assert.deepEqual(asked, ["example.com/robots.txt", "example.com/", "docs.example.com/robots.txt"]);
});

test("hundreds of subdomains on one page: robots.txt requests stay within the parallelism", async (t) => {
  const hosts = Array.from({ length: 60 }, (_, index) => `h${index}.example.com`);
  let [under, peak] = [0, 0];
  const site = await tableSite(t, {
    "//example.com/": linking(...hosts.map((host) => `http://${host}/`)),
    "/": "<p>x",
    "/robots.txt": (_request, response) => {
      peak = Math.max(peak, ++under);
      // Answered when everything that is on its way has arrived.
      setImmediate(() => {
        under--;
        response.writeHead(404).end();
      });
    },
  });
  const { summary } = await crawlInto(t, "http://example.com/", {
    ...SPIDER,
    parallelism: 4,
    connectTo: [`::127.0.0.1:${site.port}`],
  });
  assert.equal(summary.crawled, 61);
  assert.ok(peak <= 4, `${peak} at once`);
  assert.ok(site.peakSockets() <= 61 * 4);
});

test("crawl-delay is kept between any two requests, and no longer than required", async (t) => {
  const pages = ["/a", "/b", "/c", "/d"];
  const site = await tableSite(t, {
    "/": linking(...pages),
    "/robots.txt": text("User-agent: *\nCrawl-delay: 100\n"),
    ...Object.fromEntries(pages.map((path) => [path, "<p>x"])),
  });
  const { summary } = await crawlInto(t, site.url, { ...SPIDER, maxCrawlDelay: 0.1, parallelism: 5 });
  assert.equal(summary.crawled, 5);
  const times = site.requests.slice(1).map(({ at }) => at);
  // Departures are exactly spaced; one may arrive late, so it is the whole that counts, with room for that.
  const span = times.at(-1)! - times[0]!;
  assert.ok(span >= 300, `five requests came within ${span} ms`);
});

test("resumed after the rules have expired, with every request waiting for them, a crawl does not wait for itself", async (t) => {
  const pages = Array.from({ length: 20 }, (_, index) => `/page/${index}`);
  const site = await tableSite(t, {
    "/": linking(...pages, "/private"),
    "/robots.txt": redirect("/rules.txt"),
    "/rules.txt": RULES,
    ...Object.fromEntries(pages.map((path) => [path, "<p>x"])),
  });
  const database = join(temporaryFolder(t), "crawl.db");
  const options = { ...SPIDER, parallelism: 2, database };
  for await (const _ of crawl(site.url, options)) break;
  const db = new DatabaseSync(database);
  const aged = db.prepare("UPDATE notes SET value = json_set(value, '$.expiresAt', 1) WHERE key LIKE 'robots:%'").run();
  db.close();
  assert.equal(aged.changes, 1);
  const asked = site.requests.length;
  const { summary } = await crawlInto(t, site.url, options);
  assert.deepEqual([summary.state, summary.crawled, summary.open], ["completed", 21, 0]);
  const again = site.requests.slice(asked).filter(({ path }) => path === "/robots.txt");
  assert.equal(again.length, 1, "one request serves all");
});

test("rules are read to their end, even with a small limit for pages", async (t) => {
  const site = await tableSite(t, {
    "/robots.txt": text(`# ${"long ".repeat(1_000)}\nUser-agent: *\nDisallow: /private`),
    "/": linking("/private", "/public"),
    "/public": "x".repeat(5_000),
  });
  const { database } = await crawlInto(t, site.url, { ...SPIDER, maxBytes: 1_024 });
  assert.deepEqual(facts(database, site.origin, "reason size", ["depth=1"]), {
    "/private": ["robots_disallow", null],
    "/public": [null, 1_024],
  });
});
