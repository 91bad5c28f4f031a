import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { test } from "node:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { FetchError } from "./fetch-errors.ts";
import { fails } from "./testing/fails.ts";
import { testClient } from "./testing/options.ts";
import { serveHttp, serveTcp } from "./testing/servers.ts";
import { until } from "./testing/until.ts";

/** Writes without end, as fast as it is read. */
function pour(response: ServerResponse | Socket, chunk: string): void {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
}

test("a body without end is cut at the wire limit, and the connection closed", async (t) => {
  const server = await serveHttp(t, (_request, response) => pour(response, "x".repeat(10_000)));
  const client = testClient(t, { limits: { wireBytes: 123_456 } });
  const response = await client.fetch({ url: server.origin });
  assert.equal(response.body.length, 123_456);
  assert.equal(response.wireBytes, 123_456);
  assert.equal(response.truncated, "length");
  await until(() => server.sockets.size === 0);
});

test("a plain body is cut at the decoded limit; one of exactly the limit is whole", async (t) => {
  const server = await serveHttp(t, (request, response) => response.end("x".repeat(Number(request.url!.slice(1)))));
  const client = testClient(t, { limits: { decodedBytes: 1_000 } });
  const exact = await client.fetch({ url: `${server.origin}/1000` });
  assert.deepEqual([exact.body.length, exact.truncated], [1_000, null]);
  const over = await client.fetch({ url: `${server.origin}/1001` });
  assert.deepEqual([over.body.length, over.truncated], [1_000, "decoded"]);
  assert.equal((await client.fetch({ url: `${server.origin}/5` })).body.length, 5, "the next request is unharmed");
});

test("the caller may give up a body while it arrives", async (t) => {
  const server = await serveHttp(t, (_request, response) => pour(response, "x".repeat(10_000)));
  const client = testClient(t, { limits: { wireBytes: 10_000_000 } });
  const asked: number[] = [];
  const mayGrow = (bytes: number) => asked.push(bytes) < 3;
  await fails(client.fetch({ url: server.origin, mayGrow }), "aborted");
  assert.equal(asked.length, 3, "and is not asked again");
  assert.deepEqual(
    asked.toSorted((one, other) => one - other),
    asked,
  );
  await until(() => server.sockets.size === 0);
  const cut = await testClient(t, { limits: { wireBytes: 1_000 } }).fetch({
    url: server.origin,
    mayGrow: (bytes) => bytes <= 1_000,
  });
  assert.equal(cut.truncated, "length", "no more is asked for than is kept");
});

/** Keeps what it is given, a little later, and gives it back when it is told to. */
function keeper() {
  const written: Buffer[] = [];
  const room = Promise.withResolvers<void>();
  const overflow = {
    write(bytes: Buffer): true | Promise<void> {
      written.push(Buffer.from(bytes));
      return written.length % 8 !== 0 || new Promise((resolve) => setImmediate(resolve));
    },
    async read(): Promise<Buffer> {
      await room.promise;
      return Buffer.concat(written);
    },
  };
  return { written, room, overflow };
}

test("a body that may not grow goes elsewhere from its first byte on, and is unpacked when there is room", async (t) => {
  const noise = randomBytes(3_000_000);
  const bodies: Record<string, Buffer> = { identity: noise, gzip: gzipSync(noise) };
  const server = await serveHttp(t, (request, response) => {
    const coding = request.url!.slice(1);
    response.setHeader("content-encoding", coding).end(bodies[coding]);
  });
  const client = testClient(t, { limits: { decodedBytes: 10_000_000, wireBytes: 10_000_000 } });
  for (const coding of Object.keys(bodies)) {
    const { written, room, overflow } = keeper();
    let opened = 0;
    const fetched = client.fetch({
      url: `${server.origin}/${coding}`,
      mayGrow: (bytes) => opened > 0 || bytes <= 200_000,
      overflow: () => {
        opened++;
        return overflow;
      },
    });
    await until(() => Buffer.concat(written).length === bodies[coding]!.length);
    room.resolve();
    const response = await fetched;
    assert.deepEqual([opened, response.truncated, response.wireBytes], [1, null, bodies[coding]!.length], coding);
    assert.ok(response.body.equals(noise));
  }
});

test("a body that went elsewhere is cut at the limits too, and fails with what keeps it", async (t) => {
  const server = await serveHttp(t, (_request, response) => pour(response, "x".repeat(10_000)));
  const client = testClient(t, { limits: { wireBytes: 1_000_000 } });
  const { room, overflow } = keeper();
  room.resolve();
  const cut = await client.fetch({ url: server.origin, mayGrow: () => false, overflow: () => overflow });
  assert.deepEqual([cut.truncated, cut.body.length], ["length", 1_000_000]);
  await fails(client.fetch({ url: server.origin, mayGrow: () => false, overflow: () => null }), "aborted");
  const broken = { ...overflow, write: () => Promise.reject(new Error("the disk is gone")) };
  await fails(client.fetch({ url: server.origin, mayGrow: () => false, overflow: () => broken }), "failed");
  await until(() => server.sockets.size === 0);
});

test("the caller may give up a body while it is unpacked, however small it was on the wire", async (t) => {
  const zeros = Buffer.alloc(24 << 20);
  const noise = randomBytes(300_000);
  const bodies = [zeros, Buffer.concat([noise, zeros]), noise].map((body) => gzipSync(body));
  const server = await serveHttp(t, (request, response) =>
    response.setHeader("content-encoding", "gzip").end(bodies[Number(request.url!.slice(1))]),
  );
  const client = testClient(t, { limits: { decodedBytes: 100 << 20, wireBytes: 100 << 20 } });
  for (const index of [0, 1]) {
    let most = 0;
    const mayGrow = (bytes: number) => (most = bytes) <= 1 << 20;
    await fails(client.fetch({ url: `${server.origin}/${index}`, mayGrow }), "aborted");
    assert.ok(most > 1 << 20 && most <= (1 << 20) + 64 * 1024, `${most} bytes were asked for`);
  }
  let last = 0;
  const whole = await client.fetch({ url: `${server.origin}/2`, mayGrow: (bytes) => (last = bytes) > 0 });
  assert.deepEqual([last, whole.body.length], [noise.length, noise.length]);
});

test("gzip and brotli bombs give the decoded limit", async (t) => {
  const zeros = Buffer.alloc(24 << 20);
  const bombs: Record<string, Buffer> = {
    gzip: gzipSync(zeros),
    br: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }),
  };
  const server = await serveHttp(t, (request, response) => {
    const coding = request.url!.slice(1);
    response.setHeader("content-encoding", coding).end(bombs[coding]);
  });
  const client = testClient(t, { limits: { decodedBytes: 1 << 20 } });
  for (const coding of Object.keys(bombs)) {
    const response = await client.fetch({ url: `${server.origin}/${coding}` });
    assert.deepEqual([response.body.length, response.truncated], [1 << 20, "decoded"], coding);
    assert.ok(response.wireBytes < 100_000);
  }
});

test("a compressed body cut at the wire limit gives what it held", async (t) => {
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => 97 + ((index * index) % 23)));
  const server = await serveHttp(t, (_request, response) => {
    response
      .setHeader("content-encoding", "gzip")
      .end(gzipSync(bytes, { level: 1, strategy: constants.Z_HUFFMAN_ONLY }));
  });
  const client = testClient(t, { limits: { wireBytes: 20_000 } });
  const response = await client.fetch({ url: server.origin });
  assert.equal(response.truncated, "length");
  assert.ok(response.body.length > 10_000);
  assert.ok(bytes.subarray(0, response.body.length).equals(response.body));
});

test("a wrong encoding is an error; an unknown one leaves the body as it is", async (t) => {
  const server = await serveHttp(t, (request, response) => {
    response.setHeader("content-encoding", decodeURIComponent(request.url!.slice(1))).end("<p>plain</p>");
  });
  const client = testClient(t);
  for (const coding of ["gzip", "br", "zstd", "deflate"]) {
    await fails(client.fetch({ url: `${server.origin}/${coding}` }), "bad_encoding");
  }
  await fails(client.fetch({ url: `${server.origin}/gzip%2Cgzip%2Cgzip` }), "bad_encoding");
  assert.equal((await client.fetch({ url: `${server.origin}/utf-8` })).body.toString(), "<p>plain</p>");
});

test("encodings named in several fields are one list", async (t) => {
  const server = await serveHttp(t, (_request, response) => {
    response.setHeader("content-encoding", ["gzip", "br"]).end(brotliCompressSync(gzipSync("page")));
  });
  assert.equal((await testClient(t).fetch({ url: server.origin })).body.toString(), "page");
});

test("headers that do not come", async (t) => {
  const server = await serveHttp(t, () => {});
  const client = testClient(t, { limits: { headersMs: 30 } });
  await fails(client.fetch({ url: server.origin }), "headers_timeout");
  await until(() => client.openSockets() === 0);
});

test("an endless series of 1xx answers is refused", async (t) => {
  const server = await serveTcp(t, (socket) => pour(socket, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"));
  const client = testClient(t, { limits: { headersMs: 30 } });
  const error = await client.fetch({ url: server.origin }).catch((failure: FetchError) => failure);
  assert.match((error as FetchError).code, /^(?:headers_timeout|too_much_overhead)$/);
});

test("an endless chunk extension is refused", async (t) => {
  const server = await serveTcp(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;");
    pour(socket, "x".repeat(1_000));
  });
  await fails(testClient(t).fetch({ url: server.origin }), "too_much_overhead");
});

test("an endless reason phrase is refused", async (t) => {
  const server = await serveTcp(t, (socket) => {
    socket.write("HTTP/1.1 200 ");
    pour(socket, "O".repeat(1_000));
  });
  await fails(testClient(t).fetch({ url: server.origin }), "too_much_overhead");
});

test("a body that stops", async (t) => {
  const server = await serveHttp(t, (_request, response) => {
    response.setHeader("content-length", "1000").write("begun");
  });
  const client = testClient(t, { limits: { idleMs: 30 } });
  await fails(client.fetch({ url: server.origin }), "idle_timeout");
});

/** A byte every few milliseconds, until the other side has had enough. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write("."), 2);
  response.on("close", () => clearInterval(timer));
}

test("a body that drips is too slow, although it never stops", async (t) => {
  const server = await serveHttp(t, (_request, response) => drip(response));
  const client = testClient(t, { limits: { minBytesPerSecond: 100_000, minRateGraceMs: 40 } });
  await fails(client.fetch({ url: server.origin }), "too_slow");
});

test("a fetch as a whole has its time", async (t) => {
  const server = await serveHttp(t, (_request, response) => drip(response));
  const client = testClient(t, { limits: { totalMs: 60 } });
  await fails(client.fetch({ url: server.origin }), "total_timeout");
});

test("a flood of header bytes, and one of header fields", async (t) => {
  const long = await serveTcp(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    pour(socket, `x-flood: ${"y".repeat(1_000)}\r\n`);
  });
  await fails(testClient(t).fetch({ url: long.origin }), "too_many_headers");
  const many = await serveTcp(t, (socket) => socket.end(`HTTP/1.1 200 OK\r\n${"a:\r\n".repeat(5_000)}\r\n`));
  await fails(testClient(t).fetch({ url: many.origin }), "too_many_headers");
});

test("a connection reset in the middle of the body", async (t) => {
  const cut = await serveTcp(t, (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf"));
  await fails(testClient(t).fetch({ url: cut.origin }), "reset");
  const chunked = await serveTcp(t, (socket) =>
    socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhe"),
  );
  await fails(testClient(t).fetch({ url: chunked.origin }), "reset");
  const closing = await serveTcp(t, (socket) => {
    socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhe");
  });
  await fails(testClient(t).fetch({ url: closing.origin }), "reset");
  const torn = await serveTcp(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf", () => socket.resetAndDestroy());
  });
  await fails(testClient(t).fetch({ url: torn.origin }), "reset");
  const silent = await serveTcp(t, (socket) => socket.end());
  await fails(testClient(t).fetch({ url: silent.origin }), "reset");
});

test("every 1xx before the answer is passed over, 100 included; a body that looks like one is left alone", async (t) => {
  const informed = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 \r\n\r\n";
  const body = "HTTP/1.1 100 Continue\r\n\r\n";
  const server = await serveTcp(t, async (socket) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.write(informed, () => socket.write(head, () => socket.write(body)));
  });
  const response = await testClient(t).fetch({ url: server.origin });
  assert.equal(response.status, 200);
  assert.equal(response.body.toString(), body);
});

test("a body without a length ends with the connection", async (t) => {
  const server = await serveTcp(t, (socket) => socket.end("HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\nold"));
  assert.equal((await testClient(t).fetch({ url: server.origin })).body.toString(), "old");
});

test("anything but HTTP is a bad response", async (t) => {
  for (const answer of [
    "SSH-2.0-OpenSSH_9.6\r\n",
    "HTTP/1.1 abc OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nno colon\r\n\r\nok",
  ]) {
    const server = await serveTcp(t, (socket) => socket.end(answer));
    await fails(testClient(t).fetch({ url: server.origin }), "bad_response");
  }
});

test("bytes after the answer are not taken for the next one", async (t) => {
  const answer = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n";
  const server = await serveTcp(t, (socket) => socket.write(`${answer}one${answer}bad`));
  const client = testClient(t, { connectionsPerOrigin: 1 });
  const bodies = await Promise.all([0, 1].map(() => client.fetch({ url: server.origin })));
  assert.deepEqual(
    bodies.map(({ body }) => body.toString()),
    ["one", "one"],
  );
  assert.equal(server.accepted, 2, "the connection that said too much was dropped");
});

test("a million tiny chunks are one body", async (t) => {
  const server = await serveTcp(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    socket.write("1\r\nx\r\n".repeat(200_000));
    socket.write("0\r\n\r\n");
  });
  const before = process.memoryUsage().arrayBuffers;
  const response = await testClient(t).fetch({ url: server.origin });
  assert.equal(response.body.length, 200_000);
  assert.ok(process.memoryUsage().arrayBuffers - before < 16 << 20);
});

test("an idle connection that the server closes as we send is opened again, once", async (t) => {
  const served: Socket[] = [];
  const server = await serveTcp(t, (socket) => {
    served.push(socket);
    if (served.length === 1) {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\none");
      // The second request on this connection meets a closed door.
      socket.once("data", () => socket.destroy());
    } else {
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\ntwo");
    }
  });
  const reports: (number | string | null)[] = [];
  const client = testClient(t, {
    connectionsPerOrigin: 1,
    onExchange: ({ error, status }) => reports.push(error?.code ?? status),
  });
  assert.equal((await client.fetch({ url: server.origin })).body.toString(), "one");
  const second = await client.fetch({ url: server.origin });
  assert.equal(second.body.toString(), "two");
  assert.ok(second.timings.connect > 0);
  assert.equal(served.length, 2);
  assert.deepEqual(reports, [200, "reset", 200], "an observer sees both");
});

test("a new connection that breaks is not tried again", async (t) => {
  const server = await serveTcp(t, (socket) => socket.destroy());
  await fails(testClient(t).fetch({ url: server.origin }), "reset");
  assert.equal(server.accepted, 1);
});
