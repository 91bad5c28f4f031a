import assert from "node:assert/strict";
import { get, type IncomingHttpHeaders } from "node:http";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { PLACES } from "./places.ts";
import { type RunningDemoSite, startDemoSite } from "./server.ts";

const waited: number[] = [];
let site: RunningDemoSite;

before(async () => {
  site = await startDemoSite({
    delay: async (milliseconds) => {
      waited.push(milliseconds);
    },
  });
});
after(() => site.close());

test("pages are served with landmarks, a tag and a date", async () => {
  const { status, headers, body } = await ask("/");
  assert.equal(status, 200);
  assert.match(String(headers.etag), /^W\/"[0-9a-f]{20}"$/);
  assert.ok(headers["last-modified"]);
  for (const landmark of ["<header>", "<nav ", "<main>", "<footer>"]) assert.ok(body.includes(landmark), landmark);
});

test("an unchanged page answers 304 by tag, or by date when there is no tag", async () => {
  const { headers } = await ask("/docs");
  const etag = String(headers.etag);
  assert.equal((await ask("/docs", { "if-none-match": etag })).status, 304);
  assert.equal((await ask("/docs", { "if-none-match": `"other", ${etag.slice(2)}` })).status, 304);
  assert.equal((await ask("/docs", { "if-modified-since": String(headers["last-modified"]) })).status, 304);
  const stale = { "if-none-match": '"other"', "if-modified-since": String(headers["last-modified"]) };
  assert.equal((await ask("/docs", stale)).status, 200);
});

test("bodies are compressed for clients that accept it", async () => {
  const plain = await ask("/blog");
  const packed = await ask("/blog", { "accept-encoding": "br, gzip;q=0.8" });
  assert.equal(packed.headers["content-encoding"], "gzip");
  assert.equal(gunzipSync(packed.bytes).toString(), plain.body);
  assert.equal((await ask("/blog", { "accept-encoding": "gzip;q=0" })).headers["content-encoding"], undefined);
});

test("robots.txt and the sitemap index name this very server", async () => {
  const robots = await ask("/robots.txt");
  assert.match(robots.body, /Disallow: \/private\/\nDisallow: \/search\n/);
  assert.ok(robots.body.includes(`Sitemap: ${site.url}sitemap.xml`));
  assert.ok((await ask("/sitemap.xml")).body.includes(`<loc>${site.url}sitemaps/journal.xml.gz</loc>`));
});

test("the odd places answer as they should", async () => {
  assert.equal((await ask(PLACES.gone)).status, 410);
  assert.equal((await ask(PLACES.failing)).status, 500);
  assert.equal((await ask(PLACES.missing[0])).status, 404);
  assert.equal((await ask(PLACES.noindexByHeader)).headers["x-robots-tag"], "noindex, nofollow");
  assert.equal((await ask(PLACES.pdf)).body.slice(0, 5), "%PDF-");
  assert.equal((await ask(PLACES.long)).status, 200);
  assert.equal((await ask(PLACES.slow)).status, 200);
  assert.deepEqual(waited, [300]);
});

test("requests are logged in order, with their status", async () => {
  const seen = site.requests().length;
  await ask("/store", { "user-agent": "test" });
  const [entry] = site.requests().slice(seen);
  assert.equal(entry?.target, "/store");
  assert.equal(entry?.status, 301);
  assert.equal(entry?.userAgent, "test");
});

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  bytes: Buffer;
}

function ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(new URL(path, site.url), { headers, agent: false }, async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode!, headers: response.headers, body: bytes.toString(), bytes });
    }).on("error", reject);
  });
}
