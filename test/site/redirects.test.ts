/** Redirects are data: each hop is a URL with its own row, and passes the gate like any other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crawlInto, facts } from "./crawling.ts";
import { linking, redirect, tableSite } from "./table-site.ts";

const SPIDER = { discovery: ["spider" as const], checkResources: false };

test("a chain: every hop has its row, its target, and the depth of where it began", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/one"),
    "/one": redirect("/two", 302),
    "/two": redirect("three?x=1#y", 307),
    "/three?x=1": linking("/"),
  });
  const { database } = await crawlInto(t, site.url, SPIDER);
  assert.deepEqual(facts(database, site.origin, "status redirectTo depth via kind foundOn indexability"), {
    "/": [200, null, 0, "initial", "start", null, null],
    "/one": [302, "/two", 1, "spider", "anchor", "/", "redirect"],
    "/two": [307, "/three?x=1", 1, "redirect", "anchor", "/one", "redirect"],
    "/three?x=1": [200, null, 1, "redirect", "anchor", "/two", null],
  });
});

test("redirect loops, direct and indirect, end; each URL is requested once", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/self", "/a"),
    "/self": redirect("/self"),
    "/a": redirect("/b"),
    "/b": redirect("/a"),
  });
  const { summary, database } = await crawlInto(t, site.url, SPIDER);
  assert.equal(summary.state, "completed");
  assert.deepEqual(facts(database, site.origin, "redirectTo", ["status=301"]), {
    "/self": "/self",
    "/a": "/b",
    "/b": "/a",
  });
  assert.deepEqual(site.asked(), ["GET /", "GET /self", "GET /a", "GET /b"]);
});

test("to another host: recorded, not followed; followed when its links are checked", async (t) => {
  const other = await tableSite(t, { "/": linking("/more") });
  const site = await tableSite(t, { "/": linking("/out"), "/out": redirect(other.url) });
  const first = await crawlInto(t, site.url, SPIDER);
  const row = facts(first.database, site.origin, "redirectTo verdict reason status");
  assert.deepEqual(row["/out"], [other.url, "crawl", null, 301]);
  assert.deepEqual(row[other.url], [null, "record", "external", null]);
  assert.deepEqual(other.requests, []);

  const second = await crawlInto(t, site.url, { ...SPIDER, checkExternalLinks: true, allowPrivate: true });
  assert.deepEqual(facts(second.database, site.origin, "verdict status")[other.url], ["crawl", 200]);
  assert.deepEqual(other.asked(), ["HEAD /"], "it is checked, but not read");
});

test("too many in a row: the rest of the chain is skipped, with the reason", async (t) => {
  const table = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`/${n}`, redirect(`/${n + 1}`)]));
  const site = await tableSite(t, { "/": linking("/0"), ...table });
  const { database } = await crawlInto(t, site.url, { ...SPIDER, maxRedirects: 3 });
  const rows = facts(database, site.origin, "verdict reason rule");
  assert.deepEqual(rows["/3"], ["crawl", null, null]);
  assert.deepEqual(rows["/4"], ["skip", "too_many_redirects", "maxRedirects 3"]);
  assert.ok(!("/5" in rows));
  // What a redirect may not reach, a link may.
  const linked = await tableSite(t, { "/": linking("/0", "/4"), ...table });
  const { database: reached } = await crawlInto(t, linked.url, { ...SPIDER, maxRedirects: 3 });
  assert.equal(facts(reached, linked.origin, "verdict")["/4"], "crawl");
});

test("to a URL that may not be fetched: the target gets the verdict, not the page that points there", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/a", "/b", "/c"),
    "/robots.txt": { type: "text/plain", body: "User-agent: *\nDisallow: /private" },
    "/a": redirect("/private"),
    "/b": redirect("/excluded"),
    "/c": redirect("mailto:someone@example.com"),
  });
  const { database } = await crawlInto(t, site.url, { ...SPIDER, exclude: ["/excluded"] });
  assert.deepEqual(facts(database, site.origin, "reason redirectTo", ["url!=x", "depth=1"]), {
    "/a": [null, "/private"],
    "/b": [null, "/excluded"],
    "/c": [null, null],
    "/private": ["robots_disallow", null],
    "/excluded": ["excluded", null],
  });
  assert.ok(!site.asked().includes("GET /private"));
});

test("of the start URL itself", async (t) => {
  const site = await tableSite(t, { "/": redirect("/en/"), "/en/": linking("/en/a"), "/en/a": "<p>a" });
  const { summary, database } = await crawlInto(t, site.url, SPIDER);
  assert.equal(summary.crawled, 3);
  assert.deepEqual(facts(database, site.origin, "kind depth")["/en/"], ["start", 0]);
});

test("by meta refresh: a link of its own type", async (t) => {
  const site = await tableSite(t, { "/": `<meta http-equiv=refresh content="0; url=/next">`, "/next": "<p>next" });
  const { database } = await crawlInto(t, site.url, SPIDER);
  assert.deepEqual(facts(database, site.origin, "kind status")["/next"], ["refresh", 200]);
});

test("by a Refresh header that waits: nobody is redirected, and what it names is still found", async (t) => {
  const later = { headers: { refresh: "5; url=/next" }, body: "<p>wait" };
  const site = await tableSite(t, { "/": later, "/next": "<p>next" });
  const { database } = await crawlInto(t, site.url, SPIDER);
  const found = facts(database, site.origin, "kind status");
  assert.deepEqual(
    [found["/"], found["/next"]],
    [
      ["start", 200],
      ["refresh", 200],
    ],
  );
});
