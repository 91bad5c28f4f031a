import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createHostCheck, createOriginCheck, hostName, isLoopback } from "./guard.ts";

test("a server on loopback answers to loopback's names only", () => {
  const isAllowed = createHostCheck({ bound: "127.0.0.1", names: [] });
  for (const host of ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST", "localhost."]) {
    assert.ok(isAllowed(host), host);
  }
  for (const host of [
    null,
    "",
    "evil.example:8080",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "192.168.1.5",
  ]) {
    assert.ok(!isAllowed(host), String(host));
  }
  for (const host of ["localhost:8080@evil.example", "evil.example#localhost", "localhost/..", "[::1", "::1", "a b"]) {
    assert.ok(!isAllowed(host), host);
  }
});

test("a server that others reach answers to addresses and to the names it was given", () => {
  const isAllowed = createHostCheck({ bound: "0.0.0.0", names: ["Crawler.example.com", "proxy.example:443"] });
  for (const host of ["192.168.1.5:8080", "[fd00::1]:8080", "crawler.example.com", "proxy.example"]) {
    assert.ok(isAllowed(host), host);
  }
  assert.ok(!isAllowed("evil.example"));
});

test("loopback is known in all its forms", () => {
  for (const host of ["localhost", "127.0.0.1", "127.8.8.8", "::1"]) assert.ok(isLoopback(host), host);
  for (const host of ["0.0.0.0", "::", "127.evil.example", "10.0.0.1"]) assert.ok(!isLoopback(host), host);
});

test("no header makes the parser throw, and a name never holds a port or brackets", () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const name = hostName(header);
      assert.ok(name === null || !/[\s/@[\]]/.test(name));
    }),
  );
});

const HOST = "127.0.0.1:8080";
const isAllowed = createOriginCheck(["https://mine.example"]);
const asks = (method: string, headers: Record<string, string>, path = "/"): boolean =>
  isAllowed({ method, path, headers: new Headers({ host: HOST, ...headers }) });

const CASES: [name: string, method: string, headers: Record<string, string>, allowed: boolean][] = [
  ["a program", "POST", {}, true],
  ["our own page", "POST", { origin: `http://${HOST}`, "sec-fetch-site": "same-origin" }, true],
  ["our own page behind a proxy that encrypts", "POST", { origin: `https://${HOST}` }, true],
  ["a form of another site", "POST", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }, false],
  ["another port of this machine", "POST", { origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-site" }, false],
  ["a page without an origin", "POST", { origin: "null" }, false],
  ["another site, origin left out", "POST", { "sec-fetch-site": "cross-site" }, false],
  [
    "a form of another site that navigates",
    "POST",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    false,
  ],
  [
    "a script of another site that reads",
    "GET",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
    false,
  ],
  ["a link on another site", "GET", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, true],
  ["an address that was typed", "GET", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }, true],
  ["a site that was allowed", "DELETE", { origin: "https://mine.example", "sec-fetch-site": "cross-site" }, true],
  ["a site whose name begins alike", "DELETE", { origin: "https://mine.example.evil.example" }, false],
];

for (const [name, method, headers, allowed] of CASES) {
  test(`${name}: ${method} is ${allowed ? "let in" : "kept out"}`, () => assert.equal(asks(method, headers), allowed));
}

test("a link on another site leads to pages, and to nothing that reads a crawl", () => {
  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
  for (const path of ["/", "/crawls/3/urls", "/docs", "/apiary"]) assert.ok(asks("GET", link, path), path);
  for (const path of [
    "/api/v1/crawls/3/urls",
    "/api/v1/crawls/3/export",
    "/api",
    "/mcp",
    "/metrics",
    "/openapi.json",
  ]) {
    assert.ok(!asks("GET", link, path), path);
    assert.ok(asks("GET", { ...link, "sec-fetch-site": "same-origin" }, path), path);
    assert.ok(asks("GET", { ...link, "sec-fetch-site": "none" }, path), path);
    assert.ok(asks("GET", {}, path), path);
  }
});

test("the port that goes without saying may be left out", () => {
  const headers = new Headers({ host: "proxy.example:443", origin: "https://proxy.example" });
  assert.ok(isAllowed({ method: "POST", path: "/", headers }));
});
