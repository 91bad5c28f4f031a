/** Hosts in trouble: those that ask to wait, that fail for a while, and that die. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Clock } from "../../src/kernel/clock.ts";
import { parseConfig } from "../../src/site/site-config.ts";
import { SiteCrawl } from "../../src/site/site-crawl.ts";
import { seedSources } from "../../src/site/site-seeds.ts";
import { sqliteSiteStore } from "../../src/site/store/site-store.ts";
import { crawlInto, facts, query, temporaryFolder } from "./crawling.ts";
import { type Answer, linking, tableSite, text } from "./table-site.ts";

const SPIDER = { discovery: ["spider" as const], checkResources: false };

/** Fails the first times, then answers. */
function flaky(times: number, status: number, headers: Record<string, string> = {}): Answer {
  let asked = 0;
  return (_request, response) => {
    if (++asked <= times) response.writeHead(status, headers).end();
    else response.writeHead(200, { "content-type": "text/html" }).end("<p>at last");
  };
}

test("429 with Retry-After: the host gets no request in the meantime, and the page is fetched in the end", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/busy", "/a", "/b", "/c", "/d", "/e", "/f"),
    "/busy": flaky(1, 429, { "retry-after": "1" }),
    ...Object.fromEntries(["/a", "/b", "/c", "/d", "/e", "/f"].map((path) => [path, "<p>x"])),
  });
  const { database, summary } = await crawlInto(t, site.url, { ...SPIDER, parallelism: 1 });
  assert.deepEqual([summary.state, summary.crawled, summary.errors], ["completed", 8, 0]);
  assert.deepEqual(facts(database, site.origin, "status attempts")["/busy"], [200, 2]);
  const answered429 = site.requests.findIndex(({ path }) => path === "/busy");
  const pause = site.requests[answered429 + 1]!.at - site.requests[answered429]!.at;
  assert.ok(pause >= 990, `the next request came after ${pause} ms`);
  assert.equal(site.requests.filter(({ path }) => path === "/busy").length, 2);
});

test("temporary failures are retried; lasting ones are recorded with the number of attempts", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/passes", "/stays", "/final", "/missing"),
    "/passes": flaky(1, 503),
    "/stays": text("broken", 500),
    "/final": text("no", 501),
  });
  const { database, summary } = await crawlInto(t, site.url, { ...SPIDER, retries: 1 });
  assert.equal(summary.state, "completed");
  assert.deepEqual(facts(database, site.origin, "status attempts state"), {
    "/": [200, 1, "done"],
    "/passes": [200, 2, "done"],
    "/stays": [500, 2, "done"],
    "/final": [501, 1, "done"],
    "/missing": [404, 1, "done"],
  });
});

async function* oneBatch(url: string): AsyncGenerator<string[]> {
  yield [url];
}

/** A clock that runs faster than the wall's: back-offs of minutes pass in a second. */
function fastClock(speed: number): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * speed,
    after: (ms, callback) => {
      const timer = setTimeout(callback, Math.max(0, ms) / speed);
      return () => clearTimeout(timer);
    },
  };
}

test("when a host dies mid-crawl, the crawl ends with its tasks open, and resumes when the host is back", async (t) => {
  const paths = Array.from({ length: 60 }, (_, index) => `/page/${index}`);
  const table: Record<string, Answer> = { "/": linking(...paths) };
  for (const path of paths) table[path] = "<p>x";
  const site = await tableSite(t, table);
  // Its last answer is the tenth page.
  table["/page/10"] = () => void site.close();
  const database = join(temporaryFolder(t), "crawl.db");
  const clock = fastClock(200);
  const start = () =>
    SiteCrawl.start({
      store: () => sqliteSiteStore(database),
      // By the fast clock: a busy machine must not look like a slow server.
      config: parseConfig({ ...SPIDER, parallelism: 2, timeout: 3_000 }),
      startUrls: [site.url],
      sources: seedSources({ via: "initial", batches: oneBatch(site.url) }),
      clock,
    });
  const first = await start();
  const end = await first.ended;
  assert.deepEqual([end.state, end.parked], ["completed", [new URL(site.url).host]]);
  const { open, crawled } = first.progress();
  assert.ok(open > 30 && crawled >= 10, `${crawled} crawled, ${open} open`);

  table["/page/10"] = "<p>back";
  await tableSite(t, table, site.port);
  const second = await start();
  assert.deepEqual([(await second.ended).state, second.progress().open], ["completed", 0]);
  const states = query<{ n: number; status: number | null }>(
    database,
    "SELECT status, count(*) AS n FROM pages GROUP BY status ORDER BY status DESC",
  );
  const answered = states.find((row) => row.status === 200)!.n;
  // The probes were tasks too: those that used up their tries while nobody answered say so.
  assert.ok(answered >= 55, `${answered} of 61 answered in the end`);
  assert.equal(
    states.reduce((sum, row) => sum + row.n, 0),
    61,
  );
});
