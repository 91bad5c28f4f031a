import assert from "node:assert/strict";
import { test } from "node:test";
import { TrawlError } from "../../errors.ts";
import { FakeClock } from "../../kernel/testing/fake-clock.ts";
import { type PoolOptions, ProcessPool, type Task } from "./process-pool.ts";

const module = new URL("./reading-process.ts", import.meta.url);
const stopped = () => new TrawlError("SQL_STOPPED");

const ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t";

function poolOf(t: { after(end: () => void): void }, options: Partial<PoolOptions>) {
  const clock = new FakeClock();
  const pool = new ProcessPool({ module, clock, ...options });
  t.after(() => pool.close());
  return { pool, clock };
}

const task = (sql: string, more: Partial<Task> = {}): Task => ({
  name: "sql",
  args: { path: ":memory:", sql, limits: { rows: 10, bytes: 1_000 } },
  ms: 20_000,
  isSlow: true,
  stopped,
  ...more,
});
const codeOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => "done",
    (error: TrawlError) => error.code ?? error.message,
  );

test("there are never more processes than allowed; what cannot wait is refused, with when to try again", async (t) => {
  const { pool, clock } = poolOf(t, { size: 2, slow: 1, waiting: 2 });
  const abort = new AbortController();
  const endless = pool.run(task(ENDLESS, { signal: abort.signal }));
  const ended = codeOf(endless);
  const waiting = [codeOf(pool.run(task("SELECT 1"))), codeOf(pool.run(task("SELECT 2")))];
  const full = await pool.run(task("SELECT 3")).catch((error: TrawlError) => error);
  assert.ok(full instanceof TrawlError && full.code === "SERVER_BUSY" && full.retryAfterSeconds === 2);
  // One process is always left for what is quick.
  assert.deepEqual(((await pool.run(task("SELECT 4", { isSlow: false }))) as { rows: unknown }).rows, [[4]]);
  assert.ok(pool.size <= 2);
  await clock.advance(20_000);
  assert.deepEqual(await Promise.all(waiting), ["SERVER_BUSY", "SERVER_BUSY"]);
  abort.abort(new Error("left"));
  assert.equal(await ended, "left");
  assert.equal(await codeOf(pool.run(task("SELECT 5"))), "done");
});

test("a process is used again, ends when it has nothing to do, and is replaced when it was killed", async (t) => {
  const { pool, clock } = poolOf(t, { size: 1, slow: 1 });
  for (const n of [1, 2, 3]) assert.equal(await codeOf(pool.run(task(`SELECT ${n}`))), "done");
  assert.equal(pool.size, 1);
  assert.equal(await codeOf(pool.run(task(ENDLESS, { ms: 100 }))), "SQL_STOPPED");
  assert.equal(await codeOf(pool.run(task("SELECT 1"))), "done");
  await clock.advance(60_000);
  while (pool.size > 0) await new Promise((resolve) => setImmediate(resolve));
});

test("a process that has grown large is not used again", async (t) => {
  const { pool } = poolOf(t, { retireBytes: 1 });
  assert.equal(await codeOf(pool.run(task("SELECT 1"))), "done");
  assert.equal(pool.size, 0);
});

test("closing ends what runs and what waits", async (t) => {
  const { pool } = poolOf(t, { size: 1, slow: 1 });
  const all = [pool.run(task(ENDLESS)), pool.run(task("SELECT 1"))].map(codeOf);
  pool.close();
  assert.deepEqual(await Promise.all(all), ["SQL_STOPPED", "The app is closing."]);
});
