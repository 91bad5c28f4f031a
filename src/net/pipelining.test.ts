import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { withoutFloods } from "./pipelining.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

async function listening(t: TestContext, listener: Parameters<typeof withoutFloods>[0]) {
  const server = createServer(withoutFloods(listener)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  t.after(() => socket.destroy());
  return socket;
}

test("a connection that sends requests and waits for no answer is ended, and few of them were begun", async (t) => {
  let begun = 0;
  const socket = await listening(t, () => void begun++);
  socket.on("error", () => {});
  socket.write(REQUEST.repeat(1_000));
  await once(socket, "close");
  assert.equal(begun, 16);
});

test("a few at once, and any number one after the other, are answered", async (t) => {
  const socket = await listening(t, (_, response) => void setImmediate(() => response.end("x")));
  let answers = "";
  socket.setEncoding("latin1").on("data", (piece) => {
    answers += piece;
  });
  for (let round = 1; round <= 10; round++) {
    socket.write(REQUEST.repeat(10));
    while (answers.split("HTTP/1.1 200").length <= round * 10) await once(socket, "data");
  }
});
