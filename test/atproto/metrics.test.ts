/** The metrics: the names and labels that dashboards of the Go crawler use, and what they count. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeFolder, startCrawl, startNetwork, whileRunning } from "./crawling.ts";

const NAMES: Record<string, "counter" | "gauge" | "histogram"> = {
  crawler_repos_processed_total: "counter",
  crawler_repo_duration_seconds: "histogram",
  crawler_repo_records: "histogram",
  crawler_repo_collections: "histogram",
  crawler_repo_compressed_bytes: "histogram",
  crawler_http_requests_total: "counter",
  crawler_http_request_duration_seconds: "histogram",
  crawler_segments_finalized_total: "counter",
  crawler_bytes_written_total: "counter",
  crawler_dids_processed_total: "counter",
  crawler_pages_fetched_total: "counter",
  crawler_page_dids: "histogram",
  crawler_pds_count: "gauge",
  crawler_dispatched_total: "counter",
  crawler_dispatch_remaining: "gauge",
  crawler_pds_blocked_total: "counter",
  crawler_active_pds: "gauge",
};

test("all 17 metrics are served while the crawl runs, and count what happened", async (t) => {
  const network = await startNetwork(t, { accounts: [15, 5], faults: ["notFound", "unavailableOnce", "deactivated"] });
  const folder = makeFolder(t);
  const asked = network.until(5);
  const run = await startCrawl(network, folder, { metricsPort: 0 });
  const { crawl, outcome } = run;
  await whileRunning(run, asked);
  const served = await (await fetch(`http://127.0.0.1:${crawl.metricsPort}/metrics`)).text();
  const types = Object.fromEntries(
    [...served.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]),
  );
  assert.deepEqual(types, NAMES);
  await outcome;
  const text = await crawl.metrics.prometheus();
  const value = (line: string): number =>
    Number(
      text
        .split("\n")
        .find((one) => one.startsWith(`${line} `))
        ?.slice(line.length),
    );
  const good = network.good.length;
  const records = network.good.reduce((sum, { repo }) => sum + repo.paths.length, 0);
  assert.equal(value('crawler_repos_processed_total{result="success"}'), good);
  assert.equal(value('crawler_repos_processed_total{result="not_found"}'), 1);
  assert.equal(value('crawler_repos_processed_total{result="deactivated"}'), 1);
  const lists = network.requests().filter(({ method }) => method === "com.atproto.sync.listRepos").length;
  assert.ok(lists > 0);
  assert.equal(value('crawler_http_requests_total{status_code="200"}'), good + lists);
  assert.equal(value('crawler_http_requests_total{status_code="400"}'), 1);
  assert.equal(value('crawler_http_requests_total{status_code="503"}'), 1);
  assert.equal(value("crawler_repo_records_sum"), records);
  assert.equal(value("crawler_repo_duration_seconds_count"), good);
  assert.equal(value("crawler_dids_processed_total"), good + 2);
  assert.equal(value("crawler_dispatched_total"), good + 2);
  assert.equal(value("crawler_pds_count"), 2);
  assert.equal(value("crawler_segments_finalized_total"), 1);
  assert.equal(value("crawler_dispatch_remaining"), 0);
  assert.ok(value("crawler_bytes_written_total") > 1_000);
  await assert.rejects(fetch(`http://127.0.0.1:${crawl.metricsPort}/metrics`), "the port is closed with the crawl");
});
