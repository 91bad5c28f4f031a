import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpClient } from "../net/client.ts";
import { FakeClient } from "../net/testing/fake-client.ts";
import { credentialHeaders, withOwnHeaders } from "./own-headers.ts";

const HEADERS = { "X-Key": "secret", Authorization: "Bearer 1", cookie: "a=b", "Proxy-Authorization": "Basic 2" };
const isInternal = (url: string) => url.startsWith("https://example.com/");

test("own headers: credentials are left to the client, the rest goes to the site's own hosts", async () => {
  assert.deepEqual(Object.keys(credentialHeaders(HEADERS)), ["Authorization", "cookie", "Proxy-Authorization"]);
  const client = new FakeClient({});
  const own = withOwnHeaders(client as unknown as HttpClient, HEADERS, isInternal);
  await own.fetch({ url: "https://example.com/" });
  await own.fetch({ url: "https://example.com/", headers: { accept: "text/css" } });
  await own.fetch({ url: "https://cdn.test/" });
  assert.deepEqual(
    client.requests.map((request) => request.headers),
    [{ "X-Key": "secret" }, { "X-Key": "secret", accept: "text/css" }, undefined],
  );
});

test("own headers: without any, the client itself is used", () => {
  const client = new FakeClient({}) as unknown as HttpClient;
  assert.equal(withOwnHeaders(client, { cookie: "a=b" }, isInternal), client);
});
