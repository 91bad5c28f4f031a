/** Settings of requests, as a server sees them. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { crawlInto, facts, query } from "./crawling.ts";
import { type Answer, isMadeUp, linking, redirect, tableSite } from "./table-site.ts";

const SPIDER = { discovery: ["spider" as const], checkResources: false };

test("HEAD first: what cannot be read is not downloaded", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/film.mp4", "/page", "/moved", "/gone"),
    "/film.mp4": { type: "video/mp4", headers: { "content-length": "1000000" } },
    "/page": "<title>Read</title>",
    "/moved": redirect("/page"),
  });
  const { database } = await crawlInto(t, site.url, { ...SPIDER, checkHead: true });
  assert.deepEqual(facts(database, site.origin, "status title"), {
    "/": [200, "Page"],
    "/film.mp4": [200, null],
    "/page": [200, "Read"],
    "/moved": [301, null],
    "/gone": [404, null],
  });
  const gets = site.asked().filter((line) => line.startsWith("GET"));
  // Some servers do not know HEAD, and call what is there missing.
  assert.deepEqual(gets, ["GET /", "GET /page", "GET /gone"]);
});

test("cookies are kept, each for its host, unless turned off", async (t) => {
  const site = await tableSite(t, {
    "//example.com/": { headers: { "set-cookie": "visit=1; Path=/" }, body: linking("/a", "http://docs.example.com/") },
    "//example.com/a": "<p>x",
    "//docs.example.com/": "<p>x",
  });
  const options = { ...SPIDER, connectTo: [`::127.0.0.1:${site.port}`], parallelism: 1 };
  const isPage = ({ path }: { path: string }) => path !== "/robots.txt" && !isMadeUp(path);
  const sent = () => site.requests.filter(isPage).map(({ headers }) => headers.cookie);
  await crawlInto(t, "http://example.com/", options);
  assert.deepEqual(sent(), [undefined, "visit=1", undefined]);
  site.requests.length = 0;
  await crawlInto(t, "http://example.com/", { ...options, cookies: false });
  assert.deepEqual(sent(), [undefined, undefined, undefined]);
});

test("plain headers go to the site's own hosts, secrets to the start's origin, and nothing to others", async (t) => {
  const other = await tableSite(t, { "/i.png": { type: "image/png", body: "x" } });
  const site = await tableSite(t, {
    "//example.com/": `${linking("http://docs.example.com/")}<img src="${other.url}i.png">`,
    "//docs.example.com/": "<p>x",
  });
  const hosts = ["example.com", "docs.example.com"];
  await crawlInto(t, "http://example.com/", {
    discovery: ["spider"],
    connectTo: hosts.map((host) => `${host}:80:127.0.0.1:${site.port}`),
    allowPrivate: true,
    userAgent: "Tester/1",
    headers: { "X-Key": "secret", Cookie: "session=1", "Accept-Language": "fr" },
    auth: "user:pass:word",
  });
  const seen = [...site.requests, ...other.requests].map(({ host, path, headers }) => [
    ...[host === other.url.slice(7, -1) ? "other" : host, path],
    ...[headers["x-key"], headers["accept-language"], headers.cookie, headers.authorization, headers["user-agent"]],
  ]);
  const basic = `Basic ${Buffer.from("user:pass:word").toString("base64")}`;
  assert.deepEqual(seen, [
    ["example.com", "/robots.txt", "secret", "fr", "session=1", basic, "Tester/1"],
    ["example.com", "/", "secret", "fr", "session=1", basic, "Tester/1"],
    ["docs.example.com", "/robots.txt", undefined, "fr", undefined, undefined, "Tester/1"],
    ["docs.example.com", "/", undefined, "fr", undefined, undefined, "Tester/1"],
    ["other", "/robots.txt", undefined, undefined, undefined, undefined, "Tester/1"],
    ["other", "/i.png", undefined, undefined, undefined, undefined, "Tester/1"],
  ]);
});

test("a page in another encoding is decoded correctly, and its source of the encoding is recorded", async (t) => {
  const latin = (head: string) => Buffer.from(`${head}<title>Café à la crème</title>`, "latin1");
  const site = await tableSite(t, {
    "/": linking("/header", "/meta", "/mark", "/none"),
    "/header": { type: "text/html; charset=ISO-8859-1", body: latin("") },
    "/meta": { type: "text/html", body: latin("<meta charset=windows-1252>") },
    "/mark": { type: "text/html; charset=us-ascii", body: "\ufeff<title>Café à la crème</title>" },
    "/none": { type: "text/html", body: "<title>Café à la crème</title>" },
  });
  const { database } = await crawlInto(t, site.url, SPIDER);
  const rows = facts(database, site.origin, "title charset", ["depth=1"]);
  for (const [path, [title]] of Object.entries(rows) as [string, string[]][])
    assert.equal(title, "Café à la crème", path);
  const charsets = Object.fromEntries(Object.entries(rows).map(([path, row]) => [path, (row as string[])[1]]));
  assert.deepEqual(charsets, {
    "/header": "windows-1252",
    "/meta": "windows-1252",
    "/mark": "utf-8",
    "/none": "utf-8",
  });
});

test("a cache folder serves a second crawl without a request", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const page: Answer = (_request, response) => {
    response.writeHead(200, { "content-type": "text/html", "cache-control": "max-age=600" }).end(linking("/a"));
  };
  const site = await tableSite(t, { "/": page, "/a": page });
  const options = { ...SPIDER, cacheDir: folder };
  const first = await crawlInto(t, site.url, options);
  const asked = site.requests.length;
  const second = await crawlInto(t, site.url, options);
  assert.equal(site.requests.length, asked);
  assert.deepEqual(
    facts(second.database, site.origin, "status title"),
    facts(first.database, site.origin, "status title"),
  );
});

test("error pages are read, or not; content is hashed, by the algorithm that is set, or not", async (t) => {
  const gone = { status: 404, type: "text/html", body: `<title>Gone</title><a href="/help">help</a>` };
  const site = await tableSite(t, { "/": linking("/gone"), "/gone": gone, "/help": "<p>x" });
  const read = await crawlInto(t, site.url, SPIDER);
  assert.deepEqual(facts(read.database, site.origin, "status title"), {
    "/": [200, "Page"],
    "/gone": [404, "Gone"],
    "/help": [200, null],
  });
  const options = { ...SPIDER, readErrorPages: false, contentHash: "sha256" as const };
  const unread = await crawlInto(t, site.url, options);
  assert.deepEqual(facts(unread.database, site.origin, "status title"), { "/": [200, "Page"], "/gone": [404, null] });
  assert.equal(String(facts(unread.database, site.origin, "contentHash")["/"]).length, 64);
  const unhashed = await crawlInto(t, site.url, { ...SPIDER, hashContent: false });
  assert.deepEqual(new Set(Object.values(facts(unhashed.database, site.origin, "contentHash"))), new Set([null]));
});

test("response headers are stored, or not", async (t) => {
  const site = await tableSite(t, { "/": { headers: { "x-served-by": "test" }, body: "<p>x" } });
  const { database } = await crawlInto(t, site.url, SPIDER);
  const stored = (path: string) => query<{ headers: string | null }>(path, "SELECT headers FROM pages")[0]!.headers;
  assert.deepEqual(new Map(JSON.parse(stored(database)!)).get("x-served-by"), "test");
  const without = await crawlInto(t, site.url, { ...SPIDER, storeHeaders: false });
  assert.equal(stored(without.database), null);
});
