import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AppEvents } from "../../app/events.ts";
import type { CrawlProgress } from "../../app/operations/shapes.ts";
import { METRICS, Metrics } from "./metrics.ts";

const crawl = (over: Partial<CrawlProgress>): CrawlProgress =>
  ({
    crawlId: 1,
    projectId: 1,
    isOwn: true,
    pagesCrawled: 0,
    urlsCrawled: 0,
    totalDiscovered: 0,
    errors: 0,
    open: 0,
    inFlight: 0,
    ...over,
  }) as CrawlProgress;

function metricsOf() {
  const events = new AppEvents();
  const source = { list: [] as CrawlProgress[], ended: crawl({}) };
  const metrics = new Metrics(
    { events, activeCrawls: { list: () => source.list, live: () => ({ progress: source.ended }) } },
    () => 2,
  );
  const value = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name} (\\S+)$`, "m").exec(await metrics.text())?.[1]);
  const tell = (type: "crawl:started" | "crawl:completed"): void => events.emit({ type, crawlId: 1, projectId: 1 });
  return { metrics, source, value, tell };
}

test("totals go up only, over crawls that come and go", async () => {
  const { metrics, source, value, tell } = metricsOf();
  source.list = [crawl({ pagesCrawled: 0 }), crawl({ crawlId: 2, isOwn: false, pagesCrawled: 500 })];
  tell("crawl:started");
  source.list = [crawl({ pagesCrawled: 10, totalDiscovered: 40, errors: 1, open: 30, inFlight: 5 })];
  assert.equal(await value("trawl_pages_total"), 10);
  assert.equal(await value("trawl_open_urls"), 30);
  source.list = [];
  source.ended = crawl({ pagesCrawled: 12, totalDiscovered: 41, errors: 1 });
  tell("crawl:completed");
  assert.deepEqual(
    [await value("trawl_pages_total"), await value("trawl_urls_discovered_total"), await value("trawl_crawls_active")],
    [12, 41, 0],
  );
  assert.equal(await value("trawl_event_readers"), 2);
  metrics.close();
});

test("pages of a crawl before it was resumed are not counted again", async () => {
  const { metrics, source, value, tell } = metricsOf();
  source.list = [crawl({ pagesCrawled: 1_000 })];
  tell("crawl:started");
  source.list = [crawl({ pagesCrawled: 1_003 })];
  assert.equal(await value("trawl_pages_total"), 3);
  metrics.close();
});

test("the documentation names the metrics that there are", async () => {
  // The rest of the page is about workers of fleets, whose own test reads it.
  const [page] = readFileSync(new URL("../../../docs/metrics.md", import.meta.url), "utf8").split("## Workers") as [
    string,
  ];
  const documented = [...page.matchAll(/^\| `(trawl_\w+)` +\| \w+ +\| (.+?) +\|$/gm)].map(([, name, text]) => [
    name,
    text,
  ]);
  assert.deepEqual(Object.fromEntries(documented), { ...METRICS });
  const { metrics } = metricsOf();
  metrics.observe({ method: "GET", route: "/docs", status: 200 }, 0.1);
  const text = await metrics.text();
  for (const name of Object.keys(METRICS)) assert.match(text, new RegExp(`^# HELP ${name} `, "m"));
  assert.match(text, /trawl_http_request_duration_seconds_count\{method="GET",route="\/docs",status="2xx"\} 1/);
  assert.match(text, /^process_cpu_seconds_total /m);
  metrics.close();
});
