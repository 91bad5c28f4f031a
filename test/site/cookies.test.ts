/** Cookies of a crawl, as a server sees them: consent walls, login areas, sessions of subdomains, and who gets none. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { crawl } from "../../src/index.ts";
import { crawlInto, facts, temporaryFolder } from "./crawling.ts";
import { type Answer, isMadeUp, linking, redirect, tableSite } from "./table-site.ts";

const SPIDER = { discovery: ["spider" as const], checkResources: false };
const mapped = (port: number) => ({ ...SPIDER, connectTo: [`::127.0.0.1:${port}`], allowPrivate: true });

/** Answers with the page for visitors who bring the cookie, and with `without` for all others. */
const behind =
  (cookie: string, body: string, without: { location: string; cookie?: string }): Answer =>
  (request, response) => {
    if (request.headers.cookie?.split("; ").includes(cookie)) {
      response.writeHead(200, { "content-type": "text/html" }).end(body);
      return;
    }
    const set = without.cookie === undefined ? {} : { "set-cookie": without.cookie };
    response.writeHead(302, { location: without.location, ...set }).end();
  };

const setsAndLeads = (cookie: string, location: string): Answer => ({
  status: 302,
  headers: { "set-cookie": cookie, location },
});

test("a page that sets a cookie and redirects to itself is requested again with it", async (t) => {
  const site = await tableSite(t, {
    "/": behind("seen=1", linking("/a"), { location: "/", cookie: "seen=1; Path=/" }),
    "/a": "<title>A</title>",
  });
  const { summary, database } = await crawlInto(t, site.url, SPIDER);
  assert.equal(summary.state, "completed");
  assert.deepEqual(facts(database, site.origin, "status title"), { "/": [200, "Page"], "/a": [200, "A"] });
  assert.deepEqual(site.asked(), ["GET /", "GET /", "GET /a"]);
});

test("a page that never accepts its cookie is given up after a few requests, and stays a redirect", async (t) => {
  let count = 0;
  const site = await tableSite(t, {
    "/": (_request, response) => {
      response.writeHead(302, { location: "/", "set-cookie": `n=${count++}; Path=/` }).end();
    },
  });
  const { database } = await crawlInto(t, site.url, SPIDER);
  assert.deepEqual(facts(database, site.origin, "status redirectTo"), { "/": [302, "/"] });
  assert.ok(site.asked().length > 1 && site.asked().length <= 6, String(site.asked().length));
  const off = await tableSite(t, { "/": setsAndLeads("n=1; Path=/", "/") });
  await crawlInto(t, off.url, { ...SPIDER, maxRedirects: 0 });
  assert.deepEqual(off.asked(), ["GET /"], "maxRedirects 0 follows nothing");
});

for (const [name, location] of [
  ["that is told the way back", "/consent?return=%2F"],
  ["that knows the way back", "/consent"],
] as const) {
  test(`a consent wall ${name}: every page behind it is read`, async (t) => {
    const site = await tableSite(t, {
      "/": behind("consent=yes", linking("/a", "/b"), { location }),
      "/a": behind("consent=yes", "<title>A</title>", { location: "/consent?return=%2Fa" }),
      "/b": behind("consent=yes", "<title>B</title>", { location: "/consent?return=%2Fb" }),
      [location]: setsAndLeads("consent=yes; Path=/; Max-Age=3600", "/"),
    });
    const { database } = await crawlInto(t, site.url, SPIDER);
    assert.deepEqual(facts(database, site.origin, "status title"), {
      "/": [200, "Page"],
      "/a": [200, "A"],
      "/b": [200, "B"],
    });
    assert.deepEqual(site.asked(), ["GET /", `GET ${location}`, "GET /", "GET /a", "GET /b"]);
  });
}

test("a login area that sets a session cookie: its pages are read with it", async (t) => {
  const toLogin = (path: string) => ({ location: `/login?next=${encodeURIComponent(path)}` });
  const site = await tableSite(t, {
    "/": linking("/account/"),
    "/account/": behind("session=42", linking("/account/orders"), toLogin("/account/")),
    "/account/orders": behind("session=42", "<title>Orders</title>", toLogin("/account/orders")),
    "/login?next=%2Faccount%2F": setsAndLeads("session=42; Path=/account; HttpOnly", "/account/"),
  });
  const { database } = await crawlInto(t, site.url, SPIDER);
  assert.deepEqual(facts(database, site.origin, "status"), { "/": 200, "/account/": 200, "/account/orders": 200 });
});

test("a login form is not a wall to get through: it is requested once, and the pages stay redirects", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/private/a", "/private/b"),
    "/private/a": redirect("/login?next=%2Fprivate%2Fa", 302),
    "/private/b": redirect("/login?next=%2Fprivate%2Fb", 302),
    "/login?next=%2Fprivate%2Fa": "<title>Log in</title>",
    "/login?next=%2Fprivate%2Fb": "<title>Log in</title>",
  });
  const { database } = await crawlInto(t, site.url, SPIDER);
  assert.deepEqual(facts(database, site.origin, "status redirectTo", ["status=302"]), {
    "/private/a": [302, "/login?next=%2Fprivate%2Fa"],
    "/private/b": [302, "/login?next=%2Fprivate%2Fb"],
  });
  assert.equal(site.asked().length, new Set(site.asked()).size, "nothing was requested twice");
});

test("a session of the whole domain: set by one host, sent to its subdomains; a host-only cookie stays there", async (t) => {
  const site = await tableSite(t, {
    "//shop.example.com/": behind("sso=1", linking("/a"), {
      location: "http://login.example.com/check?to=http%3A%2F%2Fshop.example.com%2F",
    }),
    "//login.example.com/check?to=http%3A%2F%2Fshop.example.com%2F": {
      status: 302,
      headers: { location: "http://shop.example.com/", "set-cookie": "sso=1; Domain=.example.com; Path=/" },
    },
    "//shop.example.com/a": "<title>A</title>",
  });
  const { database } = await crawlInto(t, "http://shop.example.com/", mapped(site.port));
  assert.deepEqual(facts(database, "http://shop.example.com", "status"), { "/": 200, "/a": 200 });

  const own = await tableSite(t, {
    "//example.com/": {
      headers: { "set-cookie": "own=1; Path=/" },
      body: linking("/a", "http://docs.example.com/"),
    },
  });
  await crawlInto(t, "http://example.com/", { ...mapped(own.port), parallelism: 1 });
  const sent = own.requests
    .filter(({ path }) => path !== "/robots.txt")
    .map(({ host, headers }) => [host, headers.cookie]);
  assert.deepEqual(sent, [
    ["example.com", undefined],
    ["example.com", "own=1"],
    ["docs.example.com", undefined],
  ]);
});

test("neighbours under a public suffix and other hosts get no cookies, and set none", async (t) => {
  const page =
    (...links: string[]): Answer =>
    (_request, response) => {
      response.writeHead(200, {
        "content-type": "text/html",
        "set-cookie": ["a=1; Domain=github.io; Path=/", "b=2; Path=/", "c=3; Domain=bob.github.io; Path=/"],
      });
      response.end(linking(...links));
    };
  const site = await tableSite(t, {
    "//alice.github.io/": page("/two", "http://bob.github.io/", "http://bob.github.io/x", "http://example.net/"),
    "//alice.github.io/two": page(),
    "//bob.github.io/": page(),
    "//bob.github.io/x": page(),
    "//example.net/": page(),
  });
  await crawlInto(t, "http://alice.github.io/", { ...mapped(site.port), parallelism: 1, checkExternalLinks: true });
  const sent = (host: string) =>
    site.requests
      .filter((each) => each.host === host && !isMadeUp(each.path))
      .map(({ path, headers }) => `${path} ${headers.cookie ?? "-"}`);
  assert.deepEqual(sent("alice.github.io"), ["/robots.txt -", "/ -", "/two b=2"]);
  assert.deepEqual(sent("bob.github.io"), ["/robots.txt -", "/ -", "/x -"]);
  assert.deepEqual(sent("example.net"), ["/robots.txt -", "/ -"]);
});

test("without cookies nothing is kept, and a self-redirect is one answer", async (t) => {
  const site = await tableSite(t, {
    "/": { headers: { "set-cookie": "a=1; Path=/" }, body: linking("/self") },
    "/self": setsAndLeads("b=1; Path=/", "/self"),
  });
  await crawlInto(t, site.url, { ...SPIDER, cookies: false });
  assert.deepEqual(site.asked(), ["GET /", "GET /self"]);
  assert.ok(site.requests.every(({ headers }) => headers.cookie === undefined));
});

test("what must not be fetched is not fetched to get through a wall", async (t) => {
  const wall = { location: "/consent?return=%2F" };
  const table = {
    "/": behind("consent=yes", "<p>x", wall),
    "/consent?return=%2F": setsAndLeads("consent=yes; Path=/", "/"),
  };
  const excluded = await tableSite(t, table);
  await crawlInto(t, excluded.url, { ...SPIDER, exclude: ["/consent*"] });
  assert.deepEqual(excluded.asked(), ["GET /"]);
  const disallowed = await tableSite(t, {
    ...table,
    "/robots.txt": { type: "text/plain", body: "User-agent: *\nDisallow: /consent" },
  });
  await crawlInto(t, disallowed.url, SPIDER);
  assert.deepEqual(disallowed.asked(), ["GET /"]);
});

test("a resumed crawl has its cookies again", async (t) => {
  const database = join(temporaryFolder(t), "crawl.db");
  const pages = Array.from({ length: 30 }, (_, index) => `/p${index}`);
  const table: Record<string, Answer> = {
    "/": { headers: { "set-cookie": "session=7; Path=/" }, body: linking(...pages) },
  };
  for (const path of pages) table[path] = behind("session=7", "<p>x", { location: "/denied" });
  const site = await tableSite(t, table);
  const options = { ...SPIDER, database, parallelism: 1 };
  const first = crawl(site.url, options);
  for await (const page of first) if (page.url.endsWith("/p3")) break;
  await first.stop();
  const before = site.requests.length;
  await crawl(site.url, options).summary;
  const later = site.requests.slice(before).filter(({ path }) => path !== "/robots.txt");
  assert.ok(later.length > 0);
  assert.deepEqual(new Set(later.map(({ headers }) => headers.cookie)), new Set(["session=7"]));
});
