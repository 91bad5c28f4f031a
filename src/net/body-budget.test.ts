import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { BodyBudget, SMALL_BODY_BYTES } from "./body-budget.ts";
import { testClient } from "./testing/options.ts";
import { serveHttp } from "./testing/servers.ts";
import { until } from "./testing/until.ts";

const LARGE = 4 * SMALL_BODY_BYTES;

test("small bodies never wait; of large ones one goes on, and the oldest is next", () => {
  const budget = new BodyBudget(LARGE);
  const [first, second, third, small] = [budget.open(), budget.open(), budget.open(), budget.open()] as const;
  assert.equal(first.add(LARGE), true);
  const went: string[] = [];
  // The first that finds no room goes on beyond the budget; others wait for it.
  assert.equal(third.add(LARGE), true);
  assert.equal(third.add(LARGE), true);
  assert.equal(first.add(1), false);
  first.wait(() => went.push("first"));
  assert.equal(second.add(LARGE), false);
  second.wait(() => went.push("second"));
  assert.equal(small.add(SMALL_BODY_BYTES), true);
  third[Symbol.dispose]();
  assert.deepEqual(went, ["first"]);
  first[Symbol.dispose]();
  assert.deepEqual(went, ["first", "second"]);
  for (const share of [second, small]) share[Symbol.dispose]();
  assert.equal(budget.used, 0);
});

test("one that has been read gives its place to another, though it is not closed: it may wait for that one", () => {
  const budget = new BodyBudget(LARGE);
  const [older, younger] = [budget.open(), budget.open()] as const;
  assert.equal(younger.add(2 * LARGE), true);
  assert.equal(older.add(LARGE), false);
  let goesOn = false;
  older.wait(() => (goesOn = true));
  younger.keep(LARGE);
  assert.deepEqual([goesOn, budget.used], [true, 2 * LARGE]);
  assert.equal(older.add(LARGE), true);
});

test("one that is closed while it waits gives back what it had, once", () => {
  const budget = new BodyBudget(LARGE);
  const [first, second] = [budget.open(), budget.open()] as const;
  first.add(2 * LARGE);
  second.add(LARGE);
  let calls = 0;
  second.wait(() => calls++);
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  assert.equal(calls, 1);
  assert.equal(budget.used, 2 * LARGE);
  assert.equal(second.add(5), true);
  assert.equal(budget.used, 2 * LARGE);
});

test("bodies that together exceed the budget all arrive whole, plain and packed", async (t) => {
  const body = Buffer.alloc(3 << 20, "some text ");
  const packed = gzipSync(Buffer.alloc(6 << 20, "x"));
  const server = await serveHttp(t, (request, response) => {
    if (request.url === "/packed") response.setHeader("content-encoding", "gzip").end(packed);
    else response.end(body);
  });
  const bodies = new BodyBudget(1 << 20);
  let most = 0;
  const watcher = setInterval(() => (most = Math.max(most, bodies.used)), 1);
  t.after(() => clearInterval(watcher));
  const client = testClient(t, { bodies });
  const urls = Array.from({ length: 16 }, (_, index) => `${server.origin}/${index % 4 === 0 ? "packed" : index}`);
  const answers = await Promise.all(urls.map((url) => client.fetch({ url })));
  assert.deepEqual(
    answers.map(({ decodedBytes, truncated }) => [decodedBytes, truncated]),
    urls.map((url) => [url.endsWith("packed") ? 6 << 20 : 3 << 20, null]),
  );
  assert.equal(bodies.used, 0);
  assert.ok(most < 40 << 20, `${most} bytes at once`);
});

test("a body that waits for memory is not too slow, and can be given up", async (t) => {
  const body = Buffer.alloc(8 << 20);
  const server = await serveHttp(t, (_request, response) => response.end(body));
  const bodies = new BodyBudget(1 << 20);
  const holder = bodies.open();
  holder.add(2 << 20);
  // It takes the place of the one that may go on.
  holder.add(1);
  let skew = 0;
  const client = testClient(t, {
    bodies,
    monotonic: () => performance.now() + skew,
    limits: { wireBytes: 1e8, decodedBytes: 1e8 },
  });
  const abort = new AbortController();
  const waiting = client.fetch({ url: server.origin });
  const given = client.fetch({ url: server.origin, signal: abort.signal });
  given.catch(() => {});
  await until(() => bodies.used > (2 << 20) + 2 * SMALL_BODY_BYTES);
  skew = 60_000;
  abort.abort();
  await assert.rejects(given, { code: "aborted" });
  holder[Symbol.dispose]();
  assert.equal((await waiting).decodedBytes, body.length);
  assert.equal(bodies.used, 0);
});
