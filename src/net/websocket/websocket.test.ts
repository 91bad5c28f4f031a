/** WebSockets of both sides: messages, limits, back-pressure, and the egress guard. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Duplex } from "node:stream";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { testOptions } from "../testing/options.ts";
import { WebSocketClient } from "./websocket-client.ts";
import { WebSocketConnection } from "./websocket-connection.ts";
import {
  BINARY_FRAME,
  encodeFrame,
  FrameReader,
  PING_FRAME,
  TEXT_FRAME,
  WebSocketProblem,
} from "./websocket-frames.ts";
import { acceptWebSocket } from "./websocket-server.ts";

const MEBIBYTE = 2 ** 20;

async function serve(t: TestContext, serveOne: (connection: WebSocketConnection) => Promise<void>): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.on("upgrade", (request, socket, head) => {
    const connection = acceptWebSocket(request, socket, head, MEBIBYTE);
    if (connection !== null) serveOne(connection).catch(() => connection.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/stream?cursor=1`;
}

function client(t: TestContext, overrides = {}): WebSocketClient {
  const made = new WebSocketClient(testOptions(overrides));
  t.after(() => made.destroy());
  return made;
}

test("messages arrive whole however the bytes are cut, masked or not, in pieces or at once", () => {
  const message = fc.record({
    kind: fc.constantFrom(TEXT_FRAME, BINARY_FRAME),
    data: fc.uint8Array({ maxLength: 70_000 }),
  });
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 5 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 9_999 }),
      (sent, masked, cut) => {
        const bytes = Buffer.concat(sent.map(({ kind, data }) => encodeFrame(kind, data, masked)));
        const reader = new FrameReader({ largestMessage: 100_000, masked });
        const got: { kind: number; data: Buffer }[] = [];
        for (let at = 0; at < bytes.length; at += cut) {
          for (const one of reader.push(Buffer.from(bytes.subarray(at, at + cut))))
            got.push({ ...one, data: Buffer.from(one.data) });
        }
        assert.deepEqual(
          got.map(({ kind, data }) => [kind, data.toString("hex")]),
          sent.map(({ kind, data }) => [kind, Buffer.from(data).toString("hex")]),
        );
      },
    ),
    { numRuns: 50 },
  );
});

test("a message in fragments, with a ping between them, is one message", () => {
  const reader = new FrameReader({ largestMessage: 100, masked: false });
  const first = Buffer.from([0x02, 0x02, 1, 2]);
  const last = Buffer.from([0x80, 0x01, 3]);
  const got = [...reader.push(Buffer.concat([first, encodeFrame(PING_FRAME, Buffer.alloc(0), false), last]))];
  assert.deepEqual(
    got.map(({ kind, data }) => [kind, [...data]]),
    [
      [PING_FRAME, []],
      [BINARY_FRAME, [1, 2, 3]],
    ],
  );
});

test("frames that are too large, wrongly masked or use an extension are refused", () => {
  const refused = (bytes: Buffer, code: number, masked = false) => {
    const reader = new FrameReader({ largestMessage: 10, masked });
    assert.throws(
      () => [...reader.push(bytes)],
      (error) => error instanceof WebSocketProblem && error.code === code,
    );
  };
  // Refused by its head: nobody waits for a terabyte.
  refused(encodeFrame(BINARY_FRAME, Buffer.alloc(11), false).subarray(0, 4), 1009);
  refused(Buffer.from([0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0]), 1009);
  refused(encodeFrame(BINARY_FRAME, Buffer.alloc(3), true), 1002);
  refused(encodeFrame(BINARY_FRAME, Buffer.alloc(3), false), 1002, true);
  refused(Buffer.from([0xc2, 0x00]), 1002);
  refused(Buffer.from([0x80, 0x00]), 1002);
});

test("a message in pieces without end is refused, though they are empty", () => {
  const reader = new FrameReader({ largestMessage: 100, masked: false });
  assert.deepEqual([...reader.push(Buffer.from([0x02, 0x00]))], []);
  assert.throws(
    () => [...reader.push(Buffer.alloc(2 * 100_000))],
    (error) => error instanceof WebSocketProblem && error.code === 1009,
  );
});

test("a large message that drips in is not copied with every drop", () => {
  const reader = new FrameReader({ largestMessage: 8 * MEBIBYTE, masked: false });
  const bytes = encodeFrame(BINARY_FRAME, Buffer.alloc(8 * MEBIBYTE, 7), false);
  const got = [];
  // Copied with every drop, these would be some hundred gigabytes.
  for (let at = 0; at < bytes.length; at += 64) got.push(...reader.push(bytes.subarray(at, at + 64)));
  assert.deepEqual(
    got.map(({ data }) => [data.length, data.every((byte) => byte === 7)]),
    [[8 * MEBIBYTE, true]],
  );
});

test("a small message does not hold on to the bytes that came with it", () => {
  const reader = new FrameReader({ largestMessage: 100, masked: false });
  const sent = Buffer.concat([encodeFrame(BINARY_FRAME, Buffer.from("x"), false), Buffer.alloc(60_000)]);
  const { value } = reader.push(sent).next();
  assert.notEqual(value?.data.buffer, sent.buffer);
});

/** A connection whose other end never reads; `written` counts what it should have. */
function unread(): { socket: Duplex; connection: WebSocketConnection; written: () => number } {
  const socket = Object.assign(new Duplex({ read() {}, write() {} }), { setNoDelay() {} });
  const options = { side: "client", largestMessage: MEBIBYTE } as const;
  const connection = new WebSocketConnection(socket as unknown as Socket, Buffer.alloc(0), options);
  return { socket, connection, written: () => socket.writableLength };
}

test("a peer that pings without reading gets one answer, not one for every ping", () => {
  const { socket, written } = unread();
  const ping = encodeFrame(PING_FRAME, Buffer.alloc(100), false);
  for (let sent = 0; sent < 1_000; sent++) socket.emit("data", ping);
  assert.ok(written() < 2 * 110, `${written()} bytes wait to be written`);
});

test("pings without end break the connection", async () => {
  const { socket, connection } = unread();
  const pings = Buffer.concat(Array.from({ length: 20_000 }, () => encodeFrame(PING_FRAME, Buffer.alloc(0), false)));
  socket.emit("data", pings);
  await assert.rejects(connection.messages().next(), { code: 1008 });
  assert.equal(socket.destroyed, true);
});

test("empty messages stop the socket too when nobody reads them", () => {
  const { socket } = unread();
  const empty = Buffer.concat(Array.from({ length: 20_000 }, () => encodeFrame(BINARY_FRAME, Buffer.alloc(0), false)));
  socket.emit("data", empty);
  assert.equal(socket.isPaused(), true);
});

test("both sides talk; the end of one is the end of the other", async (t) => {
  const url = await serve(t, async (connection) => {
    for await (const { data } of connection.messages()) {
      await connection.send(Buffer.from(`${data.toString()}!`));
      connection.ping();
      if (data.toString() === "bye") connection.close(1000, "told to");
    }
  });
  const connection = await client(t).open({ url, largestMessage: MEBIBYTE });
  await connection.send("hello");
  await connection.send("bye");
  const got: string[] = [];
  for await (const { data } of connection.messages()) got.push(data.toString());
  assert.deepEqual(got, ["hello!", "bye!"]);
  assert.deepEqual(connection.closed, { code: 1000, reason: "told to" });
});

test("Node's own WebSocket understands the server", async (t) => {
  const url = await serve(t, async (connection) => {
    for await (const { data } of connection.messages()) await connection.send(data.toString().toUpperCase());
  });
  const socket = new WebSocket(url);
  await once(socket, "open");
  const long = "x".repeat(70_000);
  socket.send(long);
  const [event] = (await once(socket, "message")) as [MessageEvent<string>];
  assert.equal(event.data, long.toUpperCase());
  socket.close();
  await once(socket, "close");
});

test("a reader that takes nothing stops the sender", async (t) => {
  let sent = 0;
  const { promise: stuck, resolve } = Promise.withResolvers<void>();
  const url = await serve(t, async (connection) => {
    const piece = Buffer.alloc(MEBIBYTE / 2);
    for (; sent < 80; sent++) {
      // Kernel buffers take some megabytes; a write that is not taken soon is waiting for the reader.
      const timer = setTimeout(resolve, 300);
      await connection.send(piece);
      clearTimeout(timer);
    }
  });
  const connection = await client(t).open({ url, largestMessage: MEBIBYTE });
  await stuck;
  assert.ok(sent < 70, `${sent} half megabytes were taken`);
  let got = 0;
  for await (const _ of connection.messages()) if (++got === 80) break;
  assert.equal(got, 80);
  connection.destroy();
});

test("private addresses are refused unless allowed, and an answer that is no WebSocket is an error", async (t) => {
  const url = await serve(t, async () => {});
  await assert.rejects(client(t, { allowPrivate: false }).open({ url, largestMessage: 1 }), {
    code: "private_address",
  });
  const plain = createServer((_request, response) => response.end("hello"));
  plain.listen(0, "127.0.0.1");
  await once(plain, "listening");
  t.after(() => plain.close());
  const other = `ws://127.0.0.1:${(plain.address() as AddressInfo).port}/`;
  await assert.rejects(client(t).open({ url: other, largestMessage: 1 }), { code: "bad_response" });
});
