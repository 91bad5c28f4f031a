import assert from "node:assert/strict";
import { test } from "node:test";
import type { HeaderPairs } from "../../../net/headers.ts";
import { requestBlock, responseHead } from "./capture.ts";

const headOf = (headers: HeaderPairs, body = "", status = 200, statusText = "OK") =>
  responseHead({ status, statusText, headers, body: Buffer.from(body) })
    .toString()
    .split("\r\n");

test("a request is recorded without its credentials", () => {
  const headers: HeaderPairs = [
    ["user-agent", "trawl"],
    ["Authorization", "Basic c2VjcmV0"],
    ["cookie", "session=secret"],
  ];
  const block = requestBlock({ method: "GET", url: "https://github.com:8443/a%20b?q=1#top", headers }).toString();
  assert.equal(block, "GET /a%20b?q=1 HTTP/1.1\r\nhost: github.com:8443\r\nuser-agent: trawl\r\n\r\n");
});

test("headers of the body that was on the wire are kept aside when the body was decoded", () => {
  const headers: HeaderPairs = [
    ["content-type", "text/html"],
    ["content-encoding", "gzip"],
    ["content-length", "31"],
    ["transfer-encoding", "chunked"],
  ];
  assert.deepEqual(headOf(headers, "hello"), [
    "HTTP/1.1 200 OK",
    "content-type: text/html",
    "X-Orig-content-encoding: gzip",
    "X-Orig-content-length: 31",
    "X-Orig-transfer-encoding: chunked",
    "Content-Length: 5",
    "",
    "",
  ]);
});

test("headers that are true stay: a plain body, an unknown coding, the length of a body that was not sent", () => {
  assert.deepEqual(
    headOf(
      [
        ["content-length", "5"],
        ["content-encoding", "utf-8"],
      ],
      "hello",
    ).slice(1, 3),
    ["content-length: 5", "content-encoding: utf-8"],
  );
  assert.deepEqual(
    headOf(
      [
        ["content-length", "99"],
        ["etag", '"1"'],
      ],
      "",
      304,
      "",
    ).slice(0, 3),
    ["HTTP/1.1 304 Not Modified", "content-length: 99", 'etag: "1"'],
  );
});

test("no header can begin another", () => {
  const [, header, end] = headOf([["x-evil", "a\r\nset-cookie: b\0c"]]);
  assert.equal(header, "x-evil: a set-cookie: b c");
  assert.equal(end, "");
});
