/** Bytes that are not content end at a size, with a listed error: HTTP/1.1 and HTTP/2. */
import assert from "node:assert/strict";
import type { ServerHttp2Session } from "node:http2";
import { createSecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { OVERHEAD_BYTES } from "./exchange.ts";
import { makeCertificate } from "./testing/certificate.ts";
import { fails } from "./testing/fails.ts";
import { TEST_LIMITS, testClient } from "./testing/options.ts";
import { serveTcp } from "./testing/servers.ts";

/** What may be on its way when the client closes: the buffers of both ends. */
const UNDER_WAY = 16 * 2 ** 20;

/** Sends blocks until the client has had enough. */
function flood(socket: Socket, block: string | Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.writable) if (!socket.write(block)) return;
  };
  socket.on("error", () => {});
  socket.on("drain", more);
  more();
}

const HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

const FLOODS: Record<string, [first: string, block: string]> = {
  "an endless status line": ["HTTP/1.1 200 ", "o".repeat(65_536)],
  "interim answers": ["", `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n`.repeat(1_000)],
  "chunk extensions": [`${HEAD}1;a=`, "b".repeat(65_536)],
  "chunks of one byte with extensions": [HEAD, `1;${"e".repeat(500)}\r\nx\r\n`.repeat(100)],
  "leading zeros of a chunk's size": [HEAD, "0".repeat(65_536)],
  trailers: [`${HEAD}1\r\nx\r\n0\r\n`, `a: ${"b".repeat(1_000)}\r\n`.repeat(60)],
  headers: ["HTTP/1.1 200 OK\r\n", `a: ${"b".repeat(1_000)}\r\n`.repeat(60)],
};

for (const [name, [first, block]] of Object.entries(FLOODS)) {
  test(`HTTP/1.1, ${name}: it ends`, async (t) => {
    let peer: Socket | null = null;
    const server = await serveTcp(t, (socket) => {
      peer = socket;
      socket.write(first);
      flood(socket, block);
    });
    const client = testClient(t);
    const error = await client.fetch({ url: server.origin }).then(
      () => assert.fail("it must not answer"),
      (failure) => failure as { code: string },
    );
    assert.match(error.code, /^(?:too_much_overhead|too_many_headers|bad_response)$/);
    const most = OVERHEAD_BYTES + 2 * TEST_LIMITS.headerBytes + UNDER_WAY;
    assert.ok(peer!.bytesWritten < most, `${peer!.bytesWritten} bytes`);
  });
}

test("a body in chunks of one byte is read, and so is the next answer on the connection", async (t) => {
  const body = "x".repeat(300_000);
  const server = await serveTcp(t, (socket) => {
    const answer = `${HEAD}${"1\r\nx\r\n".repeat(body.length)}0\r\n\r\n`;
    socket.write(answer);
    socket.on("data", () => socket.write(answer));
  });
  const client = testClient(t, { connectionsPerOrigin: 1 });
  for (let round = 0; round < 3; round++) {
    assert.equal((await client.fetch({ url: server.origin })).body.length, body.length);
  }
  assert.equal(server.accepted, 1);
});

test("a status that does not exist is not valid HTTP", async (t) => {
  for (const status of ["000", "099", "0", "1000", "abc", "-20"]) {
    const server = await serveTcp(t, (socket) => socket.end(`HTTP/1.1 ${status} x\r\nContent-Length: 2\r\n\r\nok`));
    await fails(testClient(t).fetch({ url: server.origin }), "bad_response");
  }
});

/** The frames of a server that never gets to an answer. */
async function serveFrames(t: TestContext, frames: (stream: number) => Buffer) {
  const certificate = await makeCertificate();
  const sockets = new Set<Socket>();
  const server = createTlsServer({ key: certificate.key, cert: certificate.cert, ALPNProtocols: ["h2"] }, (socket) => {
    sockets.add(socket);
    socket.write(frame(4, 0, 0, Buffer.alloc(0)));
    socket.once("data", () => setImmediate(() => flood(socket, frames(1))));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { ca: certificate.ca, sockets, origin: `https://localhost:${(server.address() as AddressInfo).port}` };
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const many = (count: number, one: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => one));

const FRAMES: Record<string, (stream: number) => Buffer> = {
  PING: () => many(1_000, frame(6, 0, 0, Buffer.alloc(8))),
  "PING answers": () => many(1_000, frame(6, 1, 0, Buffer.alloc(8))),
  SETTINGS: () => many(1_000, frame(4, 0, 0, Buffer.from([0, 3, 0, 0, 0, 100]))),
  PRIORITY: (stream) => many(1_000, frame(2, 0, stream, Buffer.from([0, 0, 0, 0, 16]))),
  "unknown frames": () => many(10, frame(0x77, 0, 0, Buffer.alloc(16_000))),
  WINDOW_UPDATE: () => many(1_000, frame(8, 0, 0, Buffer.from([0, 0, 0, 1]))),
  "empty DATA": (stream) => many(1_000, frame(0, 0, stream, Buffer.alloc(0))),
  HEADERS: (stream) => many(100, frame(1, 4, stream, Buffer.from([0x48, 0x03, 0x31, 0x30, 0x33]))),
  CONTINUATION: (stream) =>
    Buffer.concat([frame(1, 0, stream, Buffer.from([0x88])), many(100, frame(9, 0, stream, Buffer.alloc(100, 0x88)))]),
  RST_STREAM: () => many(1_000, frame(3, 0, 3, Buffer.from([0, 0, 0, 8]))),
};

for (const [name, frames] of Object.entries(FRAMES)) {
  test(`HTTP/2, ${name}: it ends`, async (t) => {
    const { ca, sockets, origin } = await serveFrames(t, frames);
    const client = testClient(t, { http2: true, ca, limits: { headersMs: 8_000 } });
    const error = await client.fetch({ url: `${origin}/` }).then(
      () => assert.fail("it must not answer"),
      (failure) => failure as { code: string; message: string },
    );
    const [peer] = sockets;
    t.diagnostic(`${error.code} ${error.message} after ${peer!.bytesWritten} bytes`);
    assert.match(error.code, /^(?:too_much_overhead|too_many_headers|bad_response|reset)$/);
  });
}

test("HTTP/2: an answer among a few frames of every kind is read", async (t) => {
  const certificate = await makeCertificate();
  const server = createSecureServer({ key: certificate.key, cert: certificate.cert }, (_request, response) => {
    response.end("ok");
  });
  server.on("session", (session: ServerHttp2Session) => session.ping(() => {}));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  const client = testClient(t, { http2: true, ca: certificate.ca });
  const { port } = server.address() as AddressInfo;
  assert.equal((await client.fetch({ url: `https://localhost:${port}/` })).body.toString(), "ok");
  await client.destroy();
});

test("the total time is real time, checked as bytes arrive", async (t) => {
  let now = 0;
  const server = await serveTcp(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
    flood(socket, "x".repeat(65_536));
  });
  // Every look at the clock finds that a second has passed, though the timer that checks deadlines is never due.
  const clock = { now: () => 0, after: () => () => {} };
  const limits = { totalMs: 30_000, wireBytes: 1e9, decodedBytes: 1e9 };
  const client = testClient(t, { clock, monotonic: () => (now += 1_000), limits });
  await fails(client.fetch({ url: server.origin }), "total_timeout");
});
