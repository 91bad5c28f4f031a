import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCertificate } from "../testing/certificate.ts";
import { fails } from "../testing/fails.ts";
import { testClient } from "../testing/options.ts";
import { serveHttp, serveHttps } from "../testing/servers.ts";
import { serveSocks } from "../testing/socks-server.ts";
import { parseProxy } from "./route.ts";

test("http and https go through the tunnel, and the proxy resolves the name", async (t) => {
  const plain = await serveHttp(t, (request, response) => response.end(`plain ${request.headers.host}`));
  const secure = await serveHttps(t, await makeCertificate("site.test"), (_request, response) =>
    response.end("secure"),
  );
  const socks = await serveSocks(t, { slowly: true });
  const client = testClient(t, { proxy: socks.url(), insecure: true });
  const first = await client.fetch({ url: `http://site.test:${plain.port}/` });
  assert.equal(first.body.toString(), `plain site.test:${plain.port}`);
  assert.equal(first.remoteAddress, null);
  const second = await client.fetch({ url: `https://site.test:${secure.port}/` });
  assert.equal(second.body.toString(), "secure");
  const third = await client.fetch({ url: `${plain.origin}/` });
  assert.equal(third.status, 200);
  assert.deepEqual(socks.asked, [
    `3 site.test:${plain.port}`,
    `3 site.test:${secure.port}`,
    `1 127.0.0.1:${plain.port}`,
  ]);
});

test("a user name and password are sent where they are wanted, and refused ones are said", async (t) => {
  const site = await serveHttp(t, (_request, response) => response.end("x"));
  const socks = await serveSocks(t, { wants: "me:p@ss" });
  const right = testClient(t, { proxy: socks.url("me:p%40ss@") });
  assert.equal((await right.fetch({ url: site.origin })).status, 200);
  const wrong = await fails(testClient(t, { proxy: socks.url("me:no@") }).fetch({ url: site.origin }), "proxy_failed");
  assert.match(wrong.message + wrong.detail, /password refused/);
  const none = await fails(testClient(t, { proxy: socks.url() }).fetch({ url: site.origin }), "proxy_failed");
  assert.match(none.message + none.detail, /authentication required/);
});

test("a refusal by the proxy, and anything but a SOCKS proxy, fails with the reason", async (t) => {
  const site = await serveHttp(t, (_request, response) => response.end("x"));
  const refusing = await serveSocks(t, { reply: 5 });
  const refused = await fails(testClient(t, { proxy: refusing.url() }).fetch({ url: site.origin }), "proxy_failed");
  assert.match(String(refused.detail), /connection refused/);
  const http = testClient(t, { proxy: site.origin.replace("http:", "socks5:") });
  const wrong = await fails(http.fetch({ url: site.origin }), "proxy_failed");
  assert.match(String(wrong.detail), /not a SOCKS5 proxy|closed/);
});

test("private addresses are refused through the proxy too", async (t) => {
  const socks = await serveSocks(t);
  const client = testClient(t, { proxy: socks.url(), allowPrivate: false });
  await fails(client.fetch({ url: "http://127.0.0.1:9/" }), "private_address");
  await fails(client.fetch({ url: "http://[::1]:9/" }), "private_address");
  assert.deepEqual(socks.asked, []);
});

test("the port of a SOCKS proxy is 1080 unless it is named; other schemes are refused", () => {
  assert.equal(parseProxy("socks5://proxy.test").origin.port, 1080);
  assert.equal(parseProxy("socks5h://[::1]:99").origin.hostname, "::1");
  for (const wrong of ["socks4://a:1", "ftp://a", "socks5://", "nonsense"]) {
    assert.throws(() => parseProxy(wrong), { code: "BAD_CONFIG" }, wrong);
  }
});
