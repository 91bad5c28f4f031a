import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { AbortSignals, type ExchangeReport, type HttpResponse } from "./client.ts";
import { CookieJar } from "./cookie-jar.ts";
import { fails } from "./testing/fails.ts";
import { testClient } from "./testing/options.ts";
import { serveHttp } from "./testing/servers.ts";
import { until } from "./testing/until.ts";

test("an answer has status, headers, body and timings", async (t) => {
  const server = await serveHttp(t, (request, response) => {
    response.writeHead(200, "Fine", [
      ["Content-Type", "text/plain"],
      ["X-Robots-Tag", "noindex"],
      ["X-Robots-Tag", "nofollow"],
      ["X-Seen", request.url ?? ""],
    ]);
    response.end(request.headers["user-agent"]);
  });
  const client = testClient(t);
  const first = await client.fetch({ url: `${server.origin}/a?b=c#d` });
  assert.equal(first.url, `${server.origin}/a?b=c`);
  assert.equal(first.status, 200);
  assert.equal(first.statusText, "Fine");
  assert.equal(first.httpVersion, "1.1");
  assert.equal(first.header("Content-Type"), "text/plain");
  assert.deepEqual(
    first.headers.filter(([name]) => name === "x-robots-tag").map(([, value]) => value),
    ["noindex", "nofollow"],
  );
  assert.equal(first.header("x-seen"), "/a?b=c");
  assert.equal(first.body.toString(), "trawl-test");
  assert.equal(first.wireBytes, 10);
  assert.equal(first.decodedBytes, 10);
  assert.equal(first.truncated, null);
  assert.equal(first.remoteAddress, "127.0.0.1");
  assert.equal(first.fromCache, false);
  assert.equal(first.location, null);
  assert.ok(first.timings.connect > 0);
  assert.equal(first.timings.dns, 0);
  assert.equal(first.timings.tls, 0);
  assert.ok(first.timings.firstByte > 0);
  const { dns, connect, tls, firstByte, download, total } = first.timings;
  assert.ok(dns + connect + tls + firstByte + download <= total);

  const second = await client.fetch({ url: `${server.origin}/` });
  assert.equal(second.timings.connect, 0, "the connection was used again");
  assert.equal(server.accepted, 1);
});

test("redirects are answers, never followed", async (t) => {
  const server = await serveHttp(t, (_request, response) => {
    response.writeHead(301, { location: "//elsewhere.test/ä" }).end("moved");
  });
  const response = await testClient(t).fetch({ url: server.origin });
  assert.equal(response.status, 301);
  assert.equal(response.location, "//elsewhere.test/ä");
  assert.equal(response.body.toString(), "moved");
  assert.equal(server.requests, 1);
});

test("a 304 leads nowhere, whatever Location it names", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.writeHead(304, { location: "/elsewhere" }).end());
  const { status, location } = await testClient(t).fetch({ url: server.origin, etag: '"1"' });
  assert.deepEqual([status, location], [304, null]);
});

test("conditional requests get their 304, without a body", async (t) => {
  const server = await serveHttp(t, (request, response) => {
    const known = request.headers["if-none-match"] === '"v1"' && request.headers["if-modified-since"] !== undefined;
    response.writeHead(known ? 304 : 200, { etag: '"v1"' }).end(known ? undefined : "body");
  });
  const client = testClient(t);
  assert.equal((await client.fetch({ url: server.origin })).status, 200);
  const again = await client.fetch({
    url: server.origin,
    etag: '"v1"',
    lastModified: "Mon, 01 Jan 2024 00:00:00 GMT",
  });
  assert.equal(again.status, 304);
  assert.equal(again.body.length, 0);
  assert.equal(again.header("etag"), '"v1"');
});

test("HEAD has headers and no body, even when the length and encoding of one are named", async (t) => {
  const server = await serveHttp(t, (request, response) => {
    response.writeHead(200, { "content-length": "5000", "content-encoding": "gzip", "x-method": request.method }).end();
  });
  const response = await testClient(t).fetch({ url: server.origin, method: "HEAD" });
  assert.equal(response.header("x-method"), "HEAD");
  assert.equal(response.header("content-length"), "5000");
  assert.equal(response.body.length, 0);
  assert.equal(response.truncated, null);
});

test("so much is read as the request needs, whatever the limits", async (t) => {
  const server = await serveHttp(t, (request, response) => {
    const isPacked = request.url === "/packed";
    if (isPacked) response.setHeader("content-encoding", "gzip");
    response.end(isPacked ? gzipSync("x".repeat(900)) : "x".repeat(900));
  });
  const client = testClient(t, { limits: { wireBytes: 100, decodedBytes: 200 } });
  for (const path of ["/plain", "/packed"]) {
    const url = server.origin + path;
    const read = async (leastBytes?: number) => (await client.fetch({ url, leastBytes })).body.length;
    assert.deepEqual([await read(500), await read(1_000)], [500, 900], path);
    assert.ok((await read()) <= 200, path);
  }
});

test("compressed bodies are requested and decompressed", async (t) => {
  const page = Buffer.from("<p>page</p>".repeat(5_000));
  const server = await serveHttp(t, (request, response) => {
    assert.equal(request.headers["accept-encoding"], "gzip, br, zstd, deflate");
    const zstd = request.url === "/zstd";
    response.setHeader("content-encoding", zstd ? "zstd" : "gzip");
    response.end(zstd ? Buffer.concat([zstdCompressSync(page), zstdCompressSync("end")]) : gzipSync(page));
  });
  const client = testClient(t);
  const gzip = await client.fetch({ url: `${server.origin}/gzip` });
  assert.ok(gzip.body.equals(page));
  assert.equal(gzip.decodedBytes, page.length);
  assert.equal(gzip.wireBytes, gzipSync(page).length);
  const zstd = await client.fetch({ url: `${server.origin}/zstd` });
  assert.equal(zstd.decodedBytes, page.length + 3, "the second frame is there");
});

test("early hints before the answer are passed over", async (t) => {
  const server = await serveHttp(t, (_request, response) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" }, () => response.end("page"));
  });
  const response = await testClient(t).fetch({ url: server.origin });
  assert.equal(response.status, 200);
  assert.equal(response.header("link"), null);
});

test("URLs that are not http, and headers that HTTP forbids, are errors with a code", async (t) => {
  const client = testClient(t);
  await fails(client.fetch({ url: "ftp://example.com/" }), "bad_url");
  await fails(client.fetch({ url: "nonsense" }), "bad_url");
  const server = await serveHttp(t, (_request, response) => response.end());
  await fails(client.fetch({ url: server.origin, headers: { "x-bad": "a\r\nb: c" } }), "bad_request");
  assert.equal((await client.fetch({ url: server.origin })).status, 200, "and the connection is free again");
});

test("cookies go back to the hosts that may have them, and nowhere else", async (t) => {
  const seen: (string | undefined)[] = [];
  const listen = () =>
    serveHttp(t, (request, response) => {
      seen.push(request.headers.cookie);
      response.setHeader("set-cookie", ["id=1; Path=/", "all=2; Domain=127.0.0.1"]).end();
    });
  const [one, other] = [await listen(), await listen()];
  const client = testClient(t, { cookies: new CookieJar((url) => url.startsWith(one.origin)) });
  await client.fetch({ url: one.origin });
  await client.fetch({ url: one.origin });
  await client.fetch({ url: other.origin });
  assert.deepEqual(seen, [undefined, "id=1; all=2", undefined]);
  seen.length = 0;
  const without = testClient(t);
  await without.fetch({ url: one.origin });
  await without.fetch({ url: one.origin });
  assert.deepEqual(seen, [undefined, undefined]);
});

test("credentials go to their origin, and nowhere else", async (t) => {
  const seen: (string | undefined)[] = [];
  const listen = () =>
    serveHttp(t, (request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    });
  const [one, other] = [await listen(), await listen()];
  const client = testClient(t, { secrets: new Map([[one.origin, { Authorization: "Bearer secret" }]]) });
  await client.fetch({ url: one.origin });
  await client.fetch({ url: other.origin });
  assert.deepEqual(seen, ["Bearer secret", undefined]);
});

test("close lets running requests end, takes no more, and leaves no socket", async (t) => {
  let answer = () => {};
  const arrived = Promise.withResolvers<void>();
  const server = await serveHttp(t, (_request, response) => {
    answer = () => response.end("late");
    arrived.resolve();
  });
  const client = testClient(t);
  const running = client.fetch({ url: server.origin });
  await arrived.promise;
  const closing = client.close();
  await fails(client.fetch({ url: server.origin }), "closed");
  answer();
  assert.equal((await running).body.toString(), "late");
  await closing;
  assert.equal(client.openSockets(), 0);
});

test("destroy ends 50 requests in flight: no socket stays, no request follows", async (t) => {
  const arrived = Promise.withResolvers<void>();
  const server = await serveHttp(t, () => {
    if (server.requests === 50) arrived.resolve();
  });
  const client = testClient(t, { connectionsPerOrigin: 50 });
  // 30 more wait for a connection.
  const running = Array.from({ length: 80 }, (_, index) => client.fetch({ url: `${server.origin}/${index}` }));
  await arrived.promise;
  assert.equal(client.openSockets(), 50);
  const results = Promise.allSettled(running);
  await client.destroy();
  assert.equal(client.openSockets(), 0);
  for (const result of await results) await fails(unwrap(result), "closed");
  await fails(client.fetch({ url: server.origin }), "closed");
  // The server closes its ends as it learns of ours.
  await until(() => server.sockets.size === 0);
  assert.equal(server.requests, 50);
});

test("destroy in the midst of connecting leaves nothing behind", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.end());
  const client = testClient(t);
  const running = Promise.allSettled(Array.from({ length: 20 }, () => client.fetch({ url: server.origin })));
  await client.destroy();
  assert.equal(client.openSockets(), 0);
  for (const result of await running) await fails(unwrap(result), "closed");
});

function unwrap(result: PromiseSettledResult<HttpResponse>): Promise<HttpResponse> {
  return result.status === "rejected" ? Promise.reject(result.reason) : Promise.resolve(result.value);
}

test("an observer sees what was sent or tried, before its answer is returned, and nothing that only waited", async (t) => {
  const server = await serveHttp(t, (request, response) => {
    if (request.url === "/a") response.setHeader("content-encoding", "gzip").end(gzipSync("hello"));
  });
  const reports: ExchangeReport[] = [];
  const client = testClient(t, { connectionsPerOrigin: 1, onExchange: (report) => reports.push(report) });
  const before = Date.now() - 1;
  const response = await client.fetch({ url: `${server.origin}/a` });
  const [answered] = reports;
  assert.ok(answered!.startedAt >= before && answered!.startedAt <= Date.now());
  assert.deepEqual(
    [answered!.status, answered!.wireBytes, answered!.decodedBytes, answered!.timings, answered!.error],
    [200, response.wireBytes, 5, response.timings, null],
  );
  const [endless, waiting] = ["/endless", "/waiting"].map((path) => client.fetch({ url: server.origin + path }));
  await until(() => server.requests === 2);
  const refused = client.fetch({ url: "http://127.0.0.1:1/" });
  await fails(refused, "connect_refused");
  await Promise.all([fails(endless!, "closed"), fails(waiting!, "closed"), client.destroy()]);
  assert.deepEqual(
    reports.slice(1).map(({ url, isSent, status, error }) => [new URL(url).pathname, isSent, status, error?.code]),
    [
      ["/", false, null, "connect_refused"],
      ["/endless", true, null, "closed"],
    ],
  );
});

test("one listener serves all, and goes with the last", () => {
  const signals = new AbortSignals();
  const { signal } = new AbortController();
  const members = Array.from({ length: 100 }, () => ({ abort: () => assert.fail("aborted") }));
  for (const member of members) signals.add(signal, member);
  assert.equal(getEventListeners(signal, "abort").length, 1);
  for (const member of members) signals.delete(signal, member);
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("an abort reaches everyone once, those leaving meanwhile included", () => {
  const signals = new AbortSignals();
  const controller = new AbortController();
  const aborted: number[] = [];
  const members = [0, 1, 2].map((id) => ({
    abort() {
      aborted.push(id);
      signals.delete(controller.signal, this);
    },
  }));
  for (const member of members) signals.add(controller.signal, member);
  signals.delete(controller.signal, members[1]!);
  controller.abort();
  assert.deepEqual(aborted, [0, 2]);
});
