import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { constants, type Http2ServerResponse } from "node:http2";
import { Socket } from "node:net";
import { before, test } from "node:test";
import { FetchError } from "./fetch-errors.ts";
import { type Certificate, makeCertificate } from "./testing/certificate.ts";
import { fails } from "./testing/fails.ts";
import { testClient } from "./testing/options.ts";
import { serveHttp, serveHttp2, serveHttps } from "./testing/servers.ts";

let certificate: Certificate;
before(async () => {
  certificate = await makeCertificate();
});

test("requests beyond the connections wait their turn", async (t) => {
  let running = 0;
  let most = 0;
  const server = await serveHttp(t, (_request, response) => {
    most = Math.max(most, ++running);
    setImmediate(() => {
      running--;
      response.end("ok");
    });
  });
  const client = testClient(t, { connectionsPerOrigin: 3 });
  const responses = await Promise.all(Array.from({ length: 40 }, () => client.fetch({ url: server.origin })));
  assert.ok(responses.every(({ status }) => status === 200));
  assert.ok(most <= 3);
  assert.equal(server.accepted, 3);
});

test("a server that closes after each answer is served as well", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.setHeader("connection", "close").end("ok"));
  const client = testClient(t, { connectionsPerOrigin: 2 });
  const responses = await Promise.all(Array.from({ length: 10 }, () => client.fetch({ url: server.origin })));
  assert.ok(responses.every(({ timings }) => timings.connect > 0));
  assert.equal(server.accepted, 10);
});

test("an abort closes the request's socket, spares the others, and lets waiting requests proceed", async (t) => {
  const arrived = Promise.withResolvers<void>();
  const server = await serveHttp(t, (request, response) => {
    if (request.url === "/slow") arrived.resolve();
    else response.end("ok");
  });
  const client = testClient(t, { connectionsPerOrigin: 1 });
  const stop = new AbortController();
  const slow = client.fetch({ url: `${server.origin}/slow`, signal: stop.signal });
  const queued = client.fetch({ url: `${server.origin}/queued`, signal: stop.signal });
  const other = client.fetch({ url: `${server.origin}/other` });
  await arrived.promise;
  stop.abort();
  await fails(slow, "aborted");
  await fails(queued, "aborted");
  assert.equal((await other).status, 200);
  assert.equal(server.requests, 2, "the one that waited was never sent");
  await fails(client.fetch({ url: server.origin, signal: stop.signal }), "aborted");
});

test("an abort while connecting gives the socket up", async (t) => {
  const sockets: Socket[] = [];
  const client = testClient(t, {
    dial: () => {
      const socket = new Socket();
      sockets.push(socket);
      return socket;
    },
  });
  const stop = new AbortController();
  const running = client.fetch({ url: "http://127.0.0.1:9/", signal: stop.signal });
  await new Promise(setImmediate);
  assert.equal(client.openSockets(), 1);
  stop.abort();
  await fails(running, "aborted");
  await once(sockets[0]!, "close");
  assert.equal(client.openSockets(), 0);
});

test("thousands of origins do not keep their connections", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.end("ok"));
  const client = testClient(t, { lookup: async () => [{ address: "127.0.0.1", family: 4 }] });
  for (let index = 0; index < 150; index++) {
    await client.fetch({ url: `http://host-${index}.test:${server.port}/` });
  }
  await new Promise(setImmediate);
  assert.ok(client.openSockets() <= 128, `${client.openSockets()}`);
});

test("HTTP/2 carries many requests on one connection", async (t) => {
  const server = await serveHttp2(t, certificate, (request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "set-cookie": ["a=1", "b=2"], "x-path": request.url });
    response.end("over two");
  });
  const client = testClient(t, { http2: true, ca: certificate.ca });
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, i) => client.fetch({ url: `${server.origin}/${i}` })),
  );
  for (const [index, response] of responses.entries()) {
    assert.equal(response.httpVersion, "2");
    assert.equal(response.status, 200);
    assert.equal(response.body.toString(), "over two");
    assert.equal(response.header("x-path"), `/${index}`);
    assert.deepEqual(response.headers.filter(([name]) => name === "set-cookie").length, 2);
  }
  assert.equal(server.accepted, 1);
  assert.equal(responses.filter(({ timings }) => timings.tls > 0).length, 1, "one request paid for the handshake");
});

test("a server without HTTP/2 is spoken to as it can, on several connections", async (t) => {
  const server = await serveHttps(t, certificate, (_request, response) => {
    setImmediate(() => response.end("one"));
  });
  const client = testClient(t, { http2: true, ca: certificate.ca, connectionsPerOrigin: 4 });
  const responses = await Promise.all(Array.from({ length: 20 }, () => client.fetch({ url: server.origin })));
  assert.ok(responses.every(({ httpVersion }) => httpVersion === "1.1"));
  assert.equal(server.accepted, 4);
});

test("HTTP/2 limits and aborts stop one stream, not the connection", async (t) => {
  const server = await serveHttp2(t, certificate, (request, response) => {
    if (request.url === "/endless") {
      const timer = setInterval(() => response.write("x".repeat(10_000)), 1);
      response.stream.on("close", () => clearInterval(timer));
    } else if (request.url === "/silent") {
      response.stream.on("error", () => {});
      now += 61;
    } else if (request.url === "/reset") {
      response.stream.close(2);
    } else response.end("fine");
  });
  // Only the silent request takes any time: a busy machine must not make the others late.
  let now = 0;
  const limits = { wireBytes: 50_000, headersMs: 60 };
  const client = testClient(t, { http2: true, ca: certificate.ca, limits, monotonic: () => now });
  const cut = await client.fetch({ url: `${server.origin}/endless` });
  assert.deepEqual([cut.body.length, cut.truncated], [50_000, "length"]);
  await fails(client.fetch({ url: `${server.origin}/silent` }), "headers_timeout");
  await fails(client.fetch({ url: `${server.origin}/reset` }), "reset");
  assert.equal((await client.fetch({ url: `${server.origin}/` })).body.toString(), "fine");
  assert.equal(server.accepted, 1);
});

test("a flood of HTTP/2 headers is refused", async (t) => {
  const server = await serveHttp2(t, certificate, (_request, response) => {
    response.stream.on("error", () => {});
    for (let index = 0; index < 60; index++) response.setHeader(`x-flood-${index}`, "y".repeat(500));
    response.end("flood");
  });
  const client = testClient(t, { http2: true, ca: certificate.ca });
  await fails(client.fetch({ url: server.origin }), "too_many_headers");
});

test("destroy leaves no HTTP/2 connection", async (t) => {
  const arrived = Promise.withResolvers<void>();
  const server = await serveHttp2(t, certificate, (_request, response) => {
    response.stream.on("error", () => {});
    if (server.requests === 30) arrived.resolve();
  });
  const client = testClient(t, { http2: true, ca: certificate.ca });
  const running = Array.from({ length: 30 }, () => client.fetch({ url: server.origin }));
  const failures = running.map((fetching) => fails(fetching, "closed"));
  await arrived.promise;
  await client.destroy();
  assert.equal(client.openSockets(), 0);
  await Promise.all(failures);
});

test("whatever 400 requests meet, each has its end, and close leaves nothing", async (t) => {
  const faults: ((response: ServerResponse) => void)[] = [
    (response) => response.end("ok"),
    (response) => response.setHeader("connection", "close").end("ok"),
    (response) => response.socket!.destroy(),
    (response) => response.socket!.resetAndDestroy(),
    (response) => response.writeHead(200, { "content-length": "99" }).write("cut", () => response.socket!.destroy()),
    (response) => response.writeHead(200).write("x".repeat(9_000)),
    (response) => response.socket!.end("nonsense\r\n\r\n"),
    () => {},
  ];
  const stop = new AbortController();
  const server = await serveHttp(t, (request, response) => {
    if (server.requests === 100) stop.abort();
    faults[Number(request.url!.slice(1)) % faults.length]!(response);
  });
  const client = testClient(t, { connectionsPerOrigin: 8, limits: { headersMs: 15, idleMs: 15, wireBytes: 5_000 } });
  const codes = new Set<string>();
  const running = Array.from({ length: 400 }, async (_, index) => {
    const signal = index % 7 === 0 ? { signal: stop.signal } : {};
    try {
      const { status, truncated } = await client.fetch({ url: `${server.origin}/${index}`, ...signal });
      codes.add(`${status} ${truncated}`);
    } catch (error) {
      assert.ok(error instanceof FetchError, String(error));
      codes.add(error.code);
    }
  });
  await Promise.all(running);
  for (const met of ["200 length", "200 null", "aborted", "bad_response", "headers_timeout", "reset"]) {
    assert.ok(codes.has(met), `${met} in ${[...codes]}`);
  }
  await client.close();
  assert.equal(client.openSockets(), 0);
});

for (const [name, refuse] of [
  ["RST_STREAM", (response) => response.stream.close(constants.NGHTTP2_CANCEL)],
  ["REFUSED_STREAM", (response) => response.stream.close(constants.NGHTTP2_REFUSED_STREAM)],
  ["GOAWAY", (response) => response.stream.session!.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0)],
] satisfies [string, (response: Http2ServerResponse) => void][]) {
  test(`HTTP/2: a request that is refused with ${name} is sent once; what comes next is for the caller to decide`, async (t) => {
    let refused = 0;
    const server = await serveHttp2(t, certificate, (request, response) => {
      if (request.url !== "/refused") return void response.end("ok");
      refused++;
      refuse(response as Http2ServerResponse);
    });
    const client = testClient(t, { http2: true, ca: certificate.ca });
    for (let round = 1; round <= 3; round++) {
      assert.equal((await client.fetch({ url: `${server.origin}/fine` })).status, 200);
      await fails(client.fetch({ url: `${server.origin}/refused` }), "reset");
      assert.equal(refused, round);
    }
  });
}

test("HTTP/2: an answer over the limit disturbs neither others on the connection nor later ones", async (t) => {
  const server = await serveHttp2(t, certificate, (request, response) => {
    response.stream.on("error", () => {});
    // With three of these in its memory, the server would refuse every further request on the connection.
    if (request.url === "/big") return void response.end(Buffer.alloc(4_000_000, "x"));
    response.write("first ");
    setTimeout(() => response.end("last"), 20);
  });
  const client = testClient(t, { http2: true, ca: certificate.ca, limits: { wireBytes: 1_000_000 } });
  for (let round = 0; round < 6; round++) {
    const paths = ["/a", "/b", "/big", "/c", "/d"];
    const answers = await Promise.all(paths.map((path) => client.fetch({ url: server.origin + path })));
    const small = "first last";
    assert.deepEqual(
      answers.map(({ truncated, body }) => truncated ?? body.toString()),
      [small, small, "length", small, small],
    );
  }
  assert.ok(client.openSockets() <= 2, "what was cut short is closed");
});
