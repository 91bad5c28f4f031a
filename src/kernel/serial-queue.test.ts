import assert from "node:assert/strict";
import { test } from "node:test";
import type { Batch } from "./ledger.ts";
import { SerialQueue } from "./serial-queue.ts";

const batch = (): Batch<string> => ({ admitted: [], settled: [], retried: [], lanes: new Map(), notes: [] });

test("one piece of work at a time, in the order it was asked for, also after one that failed", async () => {
  const queue = new SerialQueue();
  queue.open();
  const done: string[] = [];
  const slow = Promise.withResolvers<void>();
  const first = queue.run(() => slow.promise.then(() => done.push("first")));
  const bad = queue.run(() => Promise.reject(new Error("bad")));
  const last = queue.run(() => done.push("last"));
  slow.resolve();
  await first;
  await assert.rejects(bad, /bad/);
  await last;
  assert.deepEqual(done, ["first", "last"]);
});

test("after a commit that failed, every later one fails with the same error; reads go on", async () => {
  const queue = new SerialQueue();
  queue.open();
  const error = new Error("the disk is full");
  let written = 0;
  const write = async () => void written++;
  await queue.commit(batch(), write);
  const failing = queue.commit(batch(), () => Promise.reject(error));
  const after = queue.commit(batch(), write);
  await assert.rejects(failing, error);
  await assert.rejects(after, error);
  assert.equal(written, 1);
  assert.ok(queue.hasFailed);
  assert.equal(await queue.run(() => 7), 7);
});

test("a batch is written as it was when it was given", async () => {
  const queue = new SerialQueue();
  queue.open();
  const given = batch();
  given.notes.push({ key: "a", value: "1" });
  let seen: unknown = null;
  const done = queue.commit(given, async ({ notes }) => {
    seen = notes;
  });
  given.notes.push({ key: "b", value: "2" });
  await done;
  assert.deepEqual(seen, [{ key: "a", value: "1" }]);
});

test("nothing is taken before it opens, nor after its last piece of work", async () => {
  const queue = new SerialQueue();
  await assert.rejects(
    queue.run(() => 1),
    { code: "STORE_FAILED" },
  );
  queue.open();
  const closed = queue.close(async () => {});
  await assert.rejects(
    queue.run(() => 1),
    { code: "STORE_FAILED" },
  );
  await closed;
});
