/** Stop means stop: no request follows, no socket stays open, and the crawl can be resumed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { crawl } from "../../src/index.ts";
import { countingSite } from "../servers/index.ts";
import { crawlInto, query, temporaryFolder } from "./crawling.ts";

test("the server sees no request after stop() at parallelism 50, and a later run finishes the crawl", async (t) => {
  const site = await countingSite({ pages: 1_000, delayMs: 5 });
  t.after(() => site.close());
  const database = join(temporaryFolder(t), "crawl.db");
  let pages = 0;
  const run = crawl(site.url, {
    parallelism: 50,
    database,
    onPage: () => {
      if (++pages === 200) void run.stop();
    },
  });
  const summary = await run.summary;
  const atStop = site.requests().length;
  assert.equal(summary.state, "stopped");
  assert.ok(summary.open > 0, "the crawl was stopped in the middle");
  // The server hears of closed sockets a moment later; whatever was to come would come over them, or over new ones.
  while (site.openSockets() > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(site.requests().length, atStop);

  const { summary: resumed } = await crawlInto(t, site.url, { parallelism: 50, database });
  assert.equal(resumed.state, "completed");
  const stored = query<{ url: string }>(database, "SELECT url FROM urls JOIN pages USING (id) WHERE status = 200");
  assert.deepEqual(stored.map((row) => new URL(row.url).pathname).sort(), [...site.paths].sort());
});

test("pause lets requests in flight finish and sends no more; resume continues", async (t) => {
  const site = await countingSite({ pages: 300, delayMs: 2 });
  t.after(() => site.close());
  const paused = Promise.withResolvers<void>();
  let pages = 0;
  const run = crawl(site.url, {
    parallelism: 20,
    onPage: () => {
      if (++pages === 50) run.pause().then(paused.resolve, paused.reject);
    },
  });
  await paused.promise;
  const atPause = site.requests().length;
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(site.requests().length, atPause);
  await run.resume();
  const summary = await run.summary;
  assert.equal(summary.state, "completed");
  assert.equal(pages, 300);
});

test("an AbortSignal stops the crawl; leaving the loop does too", async (t) => {
  const site = await countingSite({ pages: 300 });
  t.after(() => site.close());
  const controller = new AbortController();
  const run = crawl(site.url, { signal: controller.signal, onPage: () => controller.abort() });
  assert.equal((await run.summary).state, "stopped");

  const left = crawl(site.url);
  for await (const _ of left) break;
  assert.equal((await left.summary).state, "stopped");
});
