import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { TrawlError } from "../../errors.ts";
import { drain, FakeClock } from "../../kernel/testing/fake-clock.ts";
import { startServer } from "./server.ts";
import { fakeApp } from "./testing/fake-app.ts";

test("a port that is taken is said so, with what to do", async (t) => {
  const first = await startServer(fakeApp(), { port: 0 });
  t.after(() => first.close());
  await assert.rejects(
    startServer(fakeApp(), { port: first.port }),
    (error) => error instanceof TrawlError && error.code === "PORT_TAKEN" && error.hint.includes("--port 0"),
  );
});

const withToken = ({ token }: { token: string }) => ({ headers: { authorization: `Bearer ${token}` } });

test("a token is needed on every address, loopback included; only whether it works is told to anyone", async (t) => {
  for (const host of ["127.0.0.1", "0.0.0.0"]) {
    const server = await startServer(fakeApp(), { port: 0, host });
    t.after(() => server.close());
    assert.ok(server.token.length >= 32);
    assert.equal((await fetch(`${server.url}/api/v1/version`)).status, 401);
    assert.equal((await fetch(`${server.url}/api/v1/version`, withToken(server))).status, 200);
    assert.equal((await fetch(server.signInUrl())).status, 200);
    const health = await fetch(`${server.url}/health`);
    assert.deepEqual([health.status, await health.text()], [200, "ok"]);
    const asked = await fetch(`${server.url}/api/v1/health`);
    assert.deepEqual([asked.status, await asked.text()], [200, '{"status":"ok"}']);
  }
});

test("an address for one user's browser does not sign in another user's program", {
  skip: process.platform !== "linux",
}, async (t) => {
  for (const host of ["127.0.0.1", "0.0.0.0", "::"]) {
    const server = await startServer(fakeApp(), { port: 0, host });
    t.after(() => server.close());
    const us = process.getuid!();
    assert.equal((await fetch(server.signInUrl("/", us + 1))).status, 401, host);
    assert.equal((await fetch(server.signInUrl("/", us))).status, 200, host);
    const { token } = (await (
      await fetch(`${server.url}/sign-in`, { method: "POST", ...withToken(server) })
    ).json()) as { token: string };
    assert.equal((await fetch(`${server.url}/?token=${token}`)).status, 200, host);
  }
});

test("a browser stays signed in when the server restarts with the same token, and only then", async (t) => {
  const first = await startServer(fakeApp(), { port: 0, token: "the-same-token-as-before" });
  const [cookie] = (await fetch(first.signInUrl())).headers.getSetCookie();
  await first.close();
  const value = cookie!.split(";")[0]!.split("=")[1];
  for (const [token, status] of [
    ["the-same-token-as-before", 200],
    ["a-different-token-as-before", 401],
  ] as const) {
    const next = await startServer(fakeApp(), { port: 0, token });
    t.after(() => next.close());
    const headers = { cookie: `trawl-${next.port}=${value}` };
    assert.equal((await fetch(`${next.url}/api/v1/version`, { headers })).status, status, token);
  }
});

test("a request from a page that was rebound to this address is refused", async (t) => {
  const server = await startServer(fakeApp(), { port: 0 });
  t.after(() => server.close());
  const asked = request({
    port: server.port,
    host: "127.0.0.1",
    path: "/api/v1/health",
    headers: { host: "evil.example" },
  });
  asked.end();
  const [response] = await once(asked, "response");
  assert.equal(response.statusCode, 403);
  assert.match(await text(response), /HOST_NOT_ALLOWED/);
});

test("what is no HTTP, names no host, or is too large is answered as a problem", async (t) => {
  const server = await startServer(fakeApp(), { port: 0 });
  t.after(() => server.close());
  const say = async (bytes: string): Promise<string> => {
    const socket = connect(server.port, "127.0.0.1");
    socket.end(bytes);
    return text(socket);
  };
  const requests: [string, RegExp][] = [
    ["nonsense\r\n\r\n", /^HTTP\/1\.1 400 /],
    [`GET /${"x".repeat(300_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, /^HTTP\/1\.1 431 /],
    ["GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 40[03] /],
    ["GET //evil.example/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 401 /],
  ];
  for (const [bytes, status] of requests) {
    const answer = await say(bytes);
    assert.match(answer, status, bytes.slice(0, 40));
    if (!answer.includes(" 200 ")) assert.match(answer, /application\/problem\+json/i);
    assert.doesNotMatch(answer, / at .*\.ts:/);
  }
});

test("closing ends event streams, and leaves no socket and no timer", async (t) => {
  const clock = new FakeClock();
  const app = fakeApp();
  const server = await startServer(app, { port: 0, clock });
  t.after(() => server.close());
  const response = await fetch(`${server.url}/api/v1/events`, withToken(server));
  const received = response.text();
  app.events.emit({ type: "crawl:started", crawlId: 1, projectId: 1 });
  await server.close();
  assert.match(await received, /event: crawl:started/);
  await drain();
  assert.equal(server.openSockets(), 0);
  assert.equal(clock.timers, 0);
  await assert.rejects(fetch(`${server.url}/api/v1/health`));
});

test("a reader whose connection is gone is forgotten, however it went", async (t) => {
  const app = fakeApp();
  const server = await startServer(app, { port: 0 });
  t.after(() => server.close());
  const readers = async () =>
    /^trawl_event_readers (\d+)$/m.exec(await (await fetch(`${server.url}/metrics`, withToken(server))).text())?.[1];
  for (const leave of ["destroy", "resetAndDestroy", "end"] as const) {
    const socket = connect(server.port, "127.0.0.1");
    socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n\r\n`);
    await once(socket, "data");
    assert.equal(await readers(), "1", leave);
    socket[leave]();
    while ((await readers()) !== "0") await drain();
  }
});

test("a request that does not end is cut when its grace is over", async () => {
  const clock = new FakeClock();
  const asked = Promise.withResolvers<void>();
  const updates = {
    check: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  };
  const server = await startServer(fakeApp({ updates }), { port: 0, clock });
  const answer = fetch(`${server.url}/api/v1/update`, withToken(server));
  answer.catch(() => {});
  await asked.promise;
  const closed = server.close();
  await clock.advance(3_000);
  await closed;
  await assert.rejects(answer);
});
