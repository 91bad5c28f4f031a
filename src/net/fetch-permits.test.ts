import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpClient } from "./client.ts";
import { FetchError } from "./fetch-errors.ts";
import { FetchPermits, type PermitLine } from "./fetch-permits.ts";
import { testOptions } from "./testing/options.ts";
import { serveHttp } from "./testing/servers.ts";
import { until } from "./testing/until.ts";

/** A request that only remembers what became of it. */
class Request {
  settled = false;
  error: FetchError | null = null;

  fail(error: FetchError): void {
    this.settled = true;
    this.error = error;
  }
}

function enter(line: PermitLine, began: string[], name: string): Request {
  const request = new Request();
  line.enter(request, () => began.push(name));
  return request;
}

const settled = () => new Promise<void>((resolve) => queueMicrotask(resolve));

test("permits: no more than the limit, and lines take turns however many wait in one", async () => {
  const permits = new FetchPermits(2);
  const [large, small] = [permits.line(), permits.line()];
  const began: string[] = [];
  for (let number = 1; number <= 4; number++) enter(large, began, `large ${number}`);
  for (let number = 1; number <= 2; number++) enter(small, began, `small ${number}`);
  assert.deepEqual([began, permits.taken], [["large 1", "large 2"], 2]);
  for (let left = 0; left < 4; left++) {
    large.leave();
    await settled();
  }
  assert.deepEqual(began.slice(2), ["large 3", "small 1", "large 4", "small 2"]);
  assert.equal(permits.taken, 2);
});

test("permits: a waiter that gave up takes none", async () => {
  const permits = new FetchPermits(1);
  const line = permits.line();
  const began: string[] = [];
  enter(line, began, "first");
  const gone = enter(line, began, "gone");
  enter(line, began, "second");
  gone.fail(new FetchError("aborted"));
  line.leave();
  await settled();
  assert.deepEqual([began, permits.taken], [["first", "second"], 1]);
});

test("permits: destroying a line fails its waiters, and takes nothing from other lines", async () => {
  const permits = new FetchPermits(1);
  const [one, other] = [permits.line(), permits.line()];
  const began: string[] = [];
  enter(one, began, "one");
  const waiting = enter(one, began, "one more");
  enter(other, began, "other");
  one.destroy(new FetchError("closed"));
  assert.equal(waiting.error?.code, "closed");
  await one.empty();
  one.leave();
  await settled();
  assert.deepEqual([began, permits.taken], [["one", "other"], 1]);
});

test("permits: two clients on one cap, as the server counts them; waiting is in no time of the fetch", async (t) => {
  let underWay = 0;
  let most = 0;
  const held: (() => void)[] = [];
  const server = await serveHttp(t, (_request, response) => {
    most = Math.max(most, ++underWay);
    held.push(() => {
      underWay--;
      response.end("done");
    });
  });
  const permits = new FetchPermits(3);
  const now = { ms: 0 };
  const clients = [1, 2].map(() => {
    const options = testOptions({ connectionsPerOrigin: 10, permits, monotonic: () => now.ms });
    return new HttpClient(options);
  });
  t.after(() => Promise.all(clients.map((client) => client.destroy())));
  const fetches = clients.flatMap((client) =>
    Array.from({ length: 10 }, (_, index) => client.fetch({ url: `${server.origin}/${index}` })),
  );
  for (let answered = 0; answered < fetches.length; answered++) {
    await until(() => held.length === Math.min(permits.limit, fetches.length - answered));
    // Seconds of waiting for whoever has no permit yet.
    if (answered === 3) now.ms += 5_000;
    held.shift()!();
  }
  const responses = await Promise.all(fetches);
  assert.equal(most, 3);
  assert.equal(permits.taken, 0);
  const slow = responses.filter(({ timings }) => timings.total > 1_000).length;
  assert.ok(slow <= 3, `${slow} fetches were charged with waiting`);
});

test("permits: a client that is destroyed gives back what it had, and fails what waited", async (t) => {
  const server = await serveHttp(t, () => {});
  const permits = new FetchPermits(1);
  const [one, other] = [1, 2].map(() => new HttpClient(testOptions({ permits }))) as [HttpClient, HttpClient];
  t.after(() => other.destroy());
  const fetches = [1, 2, 3].map((index) => one.fetch({ url: `${server.origin}/${index}` }));
  const results = Promise.allSettled(fetches);
  const controller = new AbortController();
  const late = other.fetch({ url: `${server.origin}/late`, signal: controller.signal }).catch((error) => error.code);
  await until(() => server.requests === 1);
  await one.destroy();
  assert.deepEqual(
    (await results).map((result) => result.status === "rejected" && result.reason.code),
    ["closed", "closed", "closed"],
  );
  await until(() => server.requests === 2);
  controller.abort();
  assert.equal(await late, "aborted");
  await until(() => permits.taken === 0);
});
