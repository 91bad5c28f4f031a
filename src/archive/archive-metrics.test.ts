import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FakeClock } from "../kernel/testing/fake-clock.ts";
import { serveMetrics } from "../net/metrics-server.ts";
import { METRIC_NAMES, Metrics } from "./archive-metrics.ts";
import { CsvLog, METRICS_HEADER, MetricsCsv } from "./csv-logs.ts";

const LEVELS = { frontier_size: () => 7, in_flight: () => 2, paused: () => 0 };

test("every count of the CSV is in Prometheus with the same value", async () => {
  const metrics = new Metrics(LEVELS);
  for (const [index, name] of METRIC_NAMES.entries()) metrics.increment(name, index + 1);
  const text = await metrics.prometheus();
  const again = await metrics.prometheus();
  assert.equal(again, text, "asking does not count");
  const told = [...text.matchAll(/^trawl_archive_\w+_total(?:\{.*\})? (\d+)$/gm)].map((match) => Number(match[1]));
  assert.deepEqual(
    told,
    METRIC_NAMES.map((_, index) => index + 1),
  );
  assert.match(text, /^trawl_archive_frontier_size 7$/m);
});

test("the seeds' names", () => {
  for (const name of [
    "frontier_push",
    "duplicates",
    "policy_reject_host_not_allowed",
    "policy_reject_robots_disallow",
    "skip_depth",
    "fetch_ok",
    "fetch_not_html",
    "fetch_fail_err",
    "bytes_in",
    "pages_saved",
    "bytes_saved",
    "status_2xx",
    "not_modified_304",
  ]) {
    assert.ok((METRIC_NAMES as readonly string[]).includes(name), name);
  }
});

test("counts are written every interval and at the end", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-metrics-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "m.csv");
  const clock = new FakeClock(1_704_804_000_000);
  const metrics = new Metrics(LEVELS);
  const csv = new MetricsCsv(await CsvLog.open(path, METRICS_HEADER, assert.fail), metrics, clock);
  csv.start(10);
  metrics.increment("fetch_ok");
  await clock.advance(10_000);
  metrics.increment("fetch_ok");
  await clock.advance(9_000);
  await csv.close();
  const rows = readFileSync(path, "utf8").split("\n");
  assert.equal(rows[0], "timestamp,metric,value");
  assert.deepEqual(
    rows.filter((row) => row.includes("fetch_ok")),
    ["1704804010,fetch_ok,1", "1704804019,fetch_ok,2"],
  );
  assert.equal(clock.timers, 0);
});

test("metrics are served on loopback; anything else is not there", async () => {
  const server = await serveMetrics(new Metrics(LEVELS), 0);
  try {
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    assert.match(answer.headers.get("content-type")!, /^text\/plain/);
    assert.match(await answer.text(), /trawl_archive_in_flight 2/);
    assert.equal((await fetch(`http://127.0.0.1:${server.port}/`)).status, 404);
    await assert.rejects(serveMetrics(new Metrics(LEVELS), server.port), /cannot be used for metrics/);
  } finally {
    await server.close();
  }
});
