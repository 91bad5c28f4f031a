import assert from "node:assert/strict";
import { test } from "node:test";
import { originOf } from "./origin.ts";
import { originHeaders, requestHeaders } from "./request-headers.ts";

const origin = (text: string) => originOf(new URL(text));
const record = (flat: string[]) =>
  Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]]] : [])));

const options = {
  userAgent: "trawl",
  headers: { "Accept-Language": "de" },
  secrets: new Map([["https://a.test", { Authorization: "Bearer secret", Cookie: "id=1", "X-Key": "key" }]]),
};

test("every host gets the plain headers, none the credentials of another", () => {
  assert.deepEqual(record(originHeaders(options, origin("https://b.test/"))), {
    "user-agent": "trawl",
    accept: "*/*",
    "accept-encoding": "gzip, br, zstd, deflate",
    "accept-language": "de",
  });
});

test("secrets go to their origin, not to another scheme, port or subdomain", () => {
  const secrets = (url: string) => {
    const headers = record(originHeaders(options, origin(url)));
    return [headers["authorization"], headers["cookie"], headers["x-key"]];
  };
  for (const url of ["https://a.test/", "https://A.test:443/x"]) {
    assert.deepEqual(secrets(url), ["Bearer secret", "id=1", "key"], url);
  }
  for (const url of ["http://a.test/", "https://a.test:8443/", "https://www.a.test/", "https://test/"]) {
    assert.deepEqual(secrets(url), [undefined, undefined, undefined], url);
  }
});

test("cookies typed as a header stay beside those that the site sets, until it sets them itself", () => {
  const base = ["user-agent", "cookie", "cookie", "sid=typed; lang=de"];
  const cookie = (kept: string) => record(requestHeaders(base, { url: "" }, kept))["cookie"];
  assert.equal(cookie("seen=1"), "sid=typed; lang=de; seen=1");
  assert.equal(cookie("sid=new; seen=1"), "lang=de; sid=new; seen=1");
});

test("a request without additions shares the list; with them it has its own", () => {
  const base = ["user-agent", "trawl", "accept", "*/*"];
  assert.equal(requestHeaders(base, { url: "" }, null), base);
  assert.equal(requestHeaders(base, { url: "", etag: null, lastModified: null }, null), base);
  const added = requestHeaders(
    base,
    { url: "", etag: '"1"', lastModified: "Mon, 01 Jan 2024 00:00:00 GMT", headers: { Accept: "text/html" } },
    "id=1",
  );
  assert.deepEqual(record(added), {
    "user-agent": "trawl",
    cookie: "id=1",
    "if-none-match": '"1"',
    "if-modified-since": "Mon, 01 Jan 2024 00:00:00 GMT",
    accept: "text/html",
  });
  assert.equal(base.length, 4);
});
