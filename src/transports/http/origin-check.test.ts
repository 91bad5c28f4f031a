import assert from "node:assert/strict";
import { test } from "node:test";
import { createOriginCheck } from "./origin-check.ts";

const HOST = "127.0.0.1:8080";
const isAllowed = createOriginCheck(["https://mine.example"]);
const asks = (method: string, headers: Record<string, string>): boolean =>
  isAllowed({ method, headers: new Headers({ host: HOST, ...headers }) });

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

test("the port that goes without saying may be left out", () => {
  const headers = new Headers({ host: "proxy.example:443", origin: "https://proxy.example" });
  assert.ok(isAllowed({ method: "POST", headers }));
});
