import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpClient } from "../../net/client.ts";
import { FakeClient } from "../../net/testing/fake-client.ts";
import { secretHeaders, withPlainHeaders } from "./secret-headers.ts";

const HEADERS = { "X-Key": "secret", "Accept-Language": "fr", cookie: "a=b" };
const isInternal = (url: string) => url.startsWith("https://example.com/");
const basic = `Basic ${btoa("me:pass:word")}`;

const secretsOf = (startUrls: string[], credentialOrigins: string[] = []) =>
  Object.fromEntries(secretHeaders({ headers: HEADERS, auth: "me:pass:word", credentialOrigins }, startUrls));

test("secret headers go to the origins of the start URLs, the password to the first", () => {
  assert.deepEqual(secretsOf(["https://example.com/a", "http://other.test:81/"]), {
    "https://example.com": { "X-Key": "secret", cookie: "a=b", authorization: basic },
    "http://other.test:81": { "X-Key": "secret", cookie: "a=b" },
  });
});

test("secrets go to the origins that the settings name, and then to no other", () => {
  assert.deepEqual(secretsOf(["https://example.com/a"], ["https://cdn.Example.com:443/", "https://b.test"]), {
    "https://cdn.example.com": { "X-Key": "secret", cookie: "a=b", authorization: basic },
    "https://b.test": { "X-Key": "secret", cookie: "a=b", authorization: basic },
  });
});

test("without secrets there is nothing to send", () => {
  const config = { headers: { "accept-language": "fr" }, auth: null, credentialOrigins: [] };
  assert.equal(secretHeaders(config, ["https://example.com/"]).size, 0);
});

test("plain headers go to the site's own hosts", async () => {
  const client = new FakeClient({});
  const own = withPlainHeaders(client as unknown as HttpClient, HEADERS, isInternal);
  await own.fetch({ url: "https://example.com/" });
  await own.fetch({ url: "https://example.com/", headers: { accept: "text/css" } });
  await own.fetch({ url: "https://cdn.test/" });
  assert.deepEqual(
    client.requests.map((request) => request.headers),
    [{ "Accept-Language": "fr" }, { "Accept-Language": "fr", accept: "text/css" }, undefined],
  );
});

test("without plain headers, the client itself is used", () => {
  const client = new FakeClient({}) as unknown as HttpClient;
  assert.equal(withPlainHeaders(client, { cookie: "a=b" }, isInternal), client);
});
