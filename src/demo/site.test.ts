import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { PLACES } from "./places.ts";
import { buildDemoSite, DEMO_PAGE_COUNT, type DemoSite, pagePaths } from "./site.ts";

const ORIGIN = "http://127.0.0.1:8080";
const site = buildDemoSite(ORIGIN);

test("the stated number of pages is the number of pages", () => {
  assert.equal(pagePaths(site.resources).length, DEMO_PAGE_COUNT);
});

test("the site is the same, byte for byte, whenever it is made", () => {
  const again = buildDemoSite(ORIGIN);
  assert.deepEqual([...again.resources.keys()], [...site.resources.keys()]);
  for (const [path, { body }] of site.resources) assert.ok(body.equals(again.resources.get(path)!.body), path);
});

test("every page is found by links and sitemaps, except those that only a script or a person reaches", () => {
  const reached = spider(site);
  const missed = pagePaths(site.resources).filter((path) => !reached.has(path));
  assert.deepEqual(
    missed.filter((path) => !path.startsWith(`${PLACES.rendered}/`)),
    [],
  );
  assert.equal(missed.length, 6);
});

test("the only broken links are those that are meant to be", () => {
  const broken = [...spider(site)].filter((target) => site.resolve(target).status === 404);
  assert.deepEqual(broken.sort(), [...PLACES.missing].sort());
});

test("orphans are in a sitemap and in no page", () => {
  const linked = spider(site, false);
  for (const path of PLACES.orphans) assert.ok(!linked.has(path), path);
});

test("redirects: one hop, a chain of three, a loop, and one to another host", () => {
  assert.deepEqual(hops(PLACES.movedForGood), ["/shop"]);
  assert.deepEqual(hops(PLACES.chainStart), ["/home.html", "/index.html", "/"]);
  assert.deepEqual(hops(PLACES.loopStart), ["/account/check", PLACES.loopStart]);
  assert.deepEqual(hops(PLACES.movedAway), ["https://example.com/charter"]);
});

test("the traps go on", () => {
  assert.match(text("/calendar/2026/12?view=month"), /\/calendar\/2027\/1\?view=month/);
  assert.equal(site.resolve("/calendar/2999/1/28").status, 200);
  assert.match(text("/shop/all?size=m&colour=red"), /\/shop\/all\?size=m&amp;colour=navy/);
  assert.equal(site.resolve(`/help/${"tides/".repeat(40)}`).status, 200);
  assert.equal(site.resolve("/calendar/2026/13").status, 404);
  assert.ok(PLACES.long.length > 2083);
});

test("duplicates, variants and tracking parameters answer with the same bytes", () => {
  assert.equal(site.resolve("/about"), site.resolve(PLACES.duplicate));
  assert.equal(site.resolve("/products/storm-hat?colour=navy"), site.resolve("/products/storm-hat"));
  assert.match(text(PLACES.printed), /rel="canonical" href="http:\/\/127\.0\.0\.1:8080\/docs\/knots\/palomar"/);
});

test("the letter is windows-1252, declared only by its meta element", () => {
  const { body, headers } = site.resolve(PLACES.windows1252);
  assert.equal(headers["content-type"], "text/html");
  assert.match(new TextDecoder("windows-1252").decode(body), /coûte 4 €, et l’été/);
  assert.throws(() => new TextDecoder("utf-8", { fatal: true }).decode(body));
});

function text(target: string): string {
  return site.resolve(target).body.toString();
}

function hops(start: string): string[] {
  const path: string[] = [];
  for (let at: string | undefined = start; at && path.length < 20; ) {
    const next: string | undefined = site.resolve(at).headers["location"];
    if (next === undefined) return path;
    path.push(next);
    if (next === start || !next.startsWith("/")) return path;
    at = next;
  }
  return path;
}

/** A crawl in ten lines, which keeps out of the traps. */
function spider(demo: DemoSite, withSitemaps = true): Set<string> {
  const queue = ["/"];
  if (withSitemaps) {
    const maps = [
      demo.resolve("/sitemaps/shop.xml").body.toString(),
      gunzipSync(demo.resolve("/sitemaps/journal.xml.gz").body).toString(),
    ];
    for (const [, path] of maps.join("").matchAll(/<loc>http:\/\/[^/]+([^<]*)/g)) queue.push(path!);
  }
  const seen = new Set<string>();
  for (let target = queue.pop(); target !== undefined; target = queue.pop()) {
    if (seen.has(target) || /^\/(?:calendar|help)\/|^\/shop\/all\?/.test(target)) continue;
    seen.add(target);
    const { headers, body } = demo.resolve(target);
    const found = headers["content-type"]!.startsWith("text/html") ? body.toString().matchAll(/href="([^"]*)"/g) : [];
    const targets = [headers["location"] ?? "", ...[...found].map((match) => match[1]!)];
    for (const href of targets) {
      const url = URL.parse(href.replaceAll("&amp;", "&"), ORIGIN + target);
      if (href && url?.origin === ORIGIN) queue.push(url.pathname + (url.pathname === "/shop/all" ? url.search : ""));
    }
  }
  return seen;
}
