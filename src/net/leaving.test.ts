/** When requests leave, as the client tells it: not when they are asked for. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { it } from "node:test";
import { FetchPermits } from "./fetch-permits.ts";
import { fails } from "./testing/fails.ts";
import { testClient } from "./testing/options.ts";
import { serveHttp } from "./testing/servers.ts";

it("a request in a line for permits has not left, and one that is given up never does", async (t) => {
  const gate = Promise.withResolvers<void>();
  const server = await serveHttp(t, async (_, response) => {
    await gate.promise;
    response.end("yes");
  });
  const left: boolean[] = [];
  const first = Promise.withResolvers<void>();
  const client = testClient(t, {
    permits: new FetchPermits(1),
    onLeft: (host, isSent) => {
      assert.equal(`http://${host}`, server.origin);
      left.push(isSent);
      first.resolve();
    },
  });
  const { host } = new URL(server.origin);
  assert.equal(client.isLeaving(host), false);
  const url = `${server.origin}/`;
  const stop = new AbortController();
  const one = client.fetch({ url });
  assert.equal(client.isLeaving(host), true);
  const [two, three] = [client.fetch({ url }), client.fetch({ url, signal: stop.signal })];
  await first.promise;
  assert.equal(client.isLeaving(host), true, "two wait for the permit");
  stop.abort();
  await fails(three, "aborted");
  assert.deepEqual(left, [true, false]);
  gate.resolve();
  await Promise.all([one, two]);
  assert.deepEqual(left, [true, false, true]);
  assert.equal(client.isLeaving(host), false);
});

it("a request whose connection was closed before it arrived leaves a second time", async (t) => {
  let [requests, connections] = [0, 0];
  const server = createServer((socket) => {
    connections++;
    socket.on("error", () => {});
    socket.on("data", () => {
      // As a server does that closes idle connections, at the moment when the next request arrives.
      if (++requests === 2) return socket.destroy();
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const seen: boolean[] = [];
  const turn = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<string>();
  const beforeResend = (name: string) => {
    asked.resolve(name);
    return turn.promise;
  };
  const client = testClient(t, { onLeft: (_, isSent) => seen.push(isSent), beforeResend });
  await client.fetch({ url: `http://${host}/1` });
  assert.deepEqual(seen, [true]);
  const second = client.fetch({ url: `http://${host}/2` });
  const resent = second.then(() => assert.fail("it was sent again at once"));
  assert.equal(await Promise.race([asked.promise, resent]), host);
  assert.equal(client.isLeaving(host), false, "others go first");
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([requests, connections], [2, 1], "it waits for its host's pace");
  turn.resolve();
  const { status } = await second;
  assert.deepEqual([status, requests, connections], [200, 3, 2]);
  assert.deepEqual(seen, [true, true, true]);
  assert.equal(client.isLeaving(host), false);
});

it("a request that was given up while it waits to be sent again is never sent, and its connection is free", async (t) => {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {
      if (++requests === 2) return socket.destroy();
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const end of ["granted", "refused"] as const) {
    requests = 0;
    const turn = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const beforeResend = () => {
      asked.resolve();
      return turn.promise;
    };
    const client = testClient(t, { onLeft: () => {}, beforeResend, connectionsPerOrigin: 1 });
    await client.fetch({ url: `http://${host}/1` });
    const stop = new AbortController();
    const second = client.fetch({ url: `http://${host}/2`, signal: stop.signal });
    await Promise.race([asked.promise, second.then(() => assert.fail("it was sent again at once"))]);
    if (end === "granted") stop.abort();
    else turn.reject(new Error("the crawl has ended"));
    await fails(second, "aborted");
    turn.resolve();
    assert.equal((await client.fetch({ url: `http://${host}/3` })).status, 200, "over the only connection");
    assert.deepEqual([requests, client.isLeaving(host)], [3, false]);
  }
});
