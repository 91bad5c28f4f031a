import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import { connectionUser, listeningUser, parseList } from "./socket-owner.ts";

const TCP = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 134786 1 0 100 0 0 10 0
   1: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000 65534        0 137839 1 0 100 0 0 10 0
`;
const TCP6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:1F91 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     7        0 1 1 0 100 0 0 10 0
   1: 0000000000000000FFFF00000100007F:D432 0000000000000000FFFF00000100007F:1F91 01 00000000:00000000 00:00000000 00000000     8        0 1 1 0 100 0 0 10 0
   2: 00000000000000000000000001000000:D433 00000000000000000000000001000000:1F91 01 00000000:00000000 00:00000000 00000000     9        0 1 1 0 100 0 0 10 0
`;
const lists = [...parseList(TCP), ...parseList(TCP6)];
const at = (address: string, port: number) => ({ address, port });

test("the user of a connection's other end, in every spelling of its addresses", () => {
  assert.equal(connectionUser(at("127.0.0.1", 0xd431), at("127.0.0.1", 8080), lists), 65_534);
  assert.equal(connectionUser(at("::ffff:127.0.0.1", 0xd432), at("::ffff:7f00:1", 8081), lists), 8);
  assert.equal(connectionUser(at("127.0.0.1", 0xd432), at("127.0.0.1", 8081), lists), 8);
  assert.equal(connectionUser(at("0:0::1", 0xd433), at("::1", 8081), lists), 9);
  assert.equal(connectionUser(at("127.0.0.1", 0xd431), at("127.0.0.1", 9), lists), null);
});

test("the user who listens, on that address or on all", () => {
  assert.equal(listeningUser(at("127.0.0.1", 8080), lists), 1_000);
  assert.equal(listeningUser(at("127.0.0.1", 8081), lists), 7);
  assert.equal(listeningUser(at("127.0.0.1", 0xd431), lists), null);
});

test("on Linux, our own sockets are ours", { skip: process.platform !== "linux" }, async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, "connection");
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  await accepted;
  const us = process.getuid!();
  assert.equal(connectionUser(at("127.0.0.1", socket.localPort!), at("127.0.0.1", port)), us);
  assert.equal(listeningUser(at("127.0.0.1", port)), us);
});
