import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../kernel/testing/fake-clock.ts";
import { ProxyPool, proxyId } from "./fetcher.ts";

const members = ["a", "b", "c"].map((id) => ({ id, value: id }));
const told = { status: 429, throttled: true, forMs: null };

test("proxies take turns, and a throttled one rests", async () => {
  const clock = new FakeClock();
  const pool = new ProxyPool(members, { rotation_strategy: "sequential", rest_sec: 60 }, clock, () => 0);
  assert.deepEqual(
    [1, 2, 3, 4].map(() => pool.pick()!.id),
    ["a", "b", "c", "a"],
  );
  pool.report("b", told);
  assert.deepEqual(
    [1, 2, 3].map(() => pool.pick()!.id),
    ["c", "a", "c"],
  );
  await clock.advance(60_000);
  assert.deepEqual(
    [1, 2, 3].map(() => pool.pick()!.id),
    ["a", "b", "c"],
  );
});

test("a longer requested wait wins; while all proxies rest, none is picked", async () => {
  const clock = new FakeClock();
  const pool = new ProxyPool(members, { rotation_strategy: "random", rest_sec: 60 }, clock, () => 0.99);
  assert.equal(pool.pick()!.id, "c");
  pool.report("c", { ...told, forMs: 600_000 });
  assert.equal(pool.pick()!.id, "b");
  for (const id of ["a", "b"]) pool.report(id, told);
  assert.equal(pool.pick(), null);
  assert.equal(pool.awakeAt(), clock.now() + 60_000);
  await clock.advance(60_000);
  assert.equal(pool.pick()!.id, "b");
  pool.report("a", { status: 200, throttled: false, forMs: null });
  assert.equal(pool.pick()!.id, "b");
});

test("the name of a proxy holds no password", () => {
  assert.equal(proxyId("http://user:secret@10.0.0.1:3128"), "10.0.0.1:3128");
});
