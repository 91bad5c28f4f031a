/** Parallelism must not change what a crawl finds: same URLs, same verdicts, same depths, in the same order. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { startDemoSite } from "../../src/demo/index.ts";
import { crawlInto, firstDifference, type StoredUrl, storedUrls } from "./crawling.ts";

test("ten crawls of the demo site at parallelism 1, 10 and 50 are the same", async (t) => {
  const site = await startDemoSite();
  t.after(() => site.close());
  let first: StoredUrl[] | null = null;
  for (const parallelism of [1, 10, 50, 10, 50, 10, 50, 10, 50, 1]) {
    // Budgets are what timing would change first: who comes too late is skipped.
    const options = { parallelism, maxUrlsPerPattern: 15, maxQueryVariants: 15, retries: 0 };
    const { summary, database } = await crawlInto(t, site.url, options);
    assert.equal(summary.state, "completed");
    assert.equal(summary.open, 0);
    const urls = storedUrls(database);
    assert.ok(urls.length > 300, `only ${urls.length} URLs`);
    first ??= urls;
    assert.ok(isDeepStrictEqual(urls, first), firstDifference(urls, first));
  }
});

test("a limit on URLs cuts at the same place at any parallelism", async (t) => {
  const site = await startDemoSite();
  t.after(() => site.close());
  const cuts = [];
  for (const parallelism of [1, 50, 20]) {
    const { database } = await crawlInto(t, site.url, { parallelism, maxUrls: 60, maxDepth: 3, retries: 0 });
    cuts.push(storedUrls(database));
  }
  for (const cut of cuts) assert.ok(isDeepStrictEqual(cut, cuts[0]), firstDifference(cut, cuts[0]!));
});
