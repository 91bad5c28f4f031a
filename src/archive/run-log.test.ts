import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { FakeClock } from "../kernel/testing/fake-clock.ts";
import { archiveConfigSchema } from "./config/archive-config.ts";
import { RunLog } from "./run-log.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";

const START = Date.UTC(2026, 10, 18, 12);
const SETTINGS = archiveConfigSchema.parse({ user_agent: "a/1 (+https://example.com)" }).log;

function open(t: TestContext, settings = SETTINGS) {
  const folder = mkdtempSync(join(tmpdir(), "trawl-run-log-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new FakeClock(START);
  const path = join(folder, "crawler.log");
  /** Without times. */
  const lines = () =>
    readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.slice(25));
  return { log: new RunLog(path, settings, clock), clock, path, lines };
}

const answered = (http_status: number, more: Partial<MetadataRecord> = {}): MetadataRecord => ({
  url: "https://github.com/a/b",
  timestamp: 0,
  depth: 1,
  page_type: "repo_root",
  referrer: null,
  http_status,
  content_type: "text/html",
  encoding: "",
  content_sha256: http_status === 200 ? "abc" : "",
  content_bytes: 1_200,
  stored_path: "",
  etag: "",
  last_modified: "",
  fetch_latency_ms: 40.4,
  retries: 3,
  proxy_id: null,
  metadata: {},
  ...more,
});

test("lines begin with the time and the level", (t) => {
  const { log, path } = open(t);
  log.write("warn", "something");
  assert.equal(readFileSync(path, "utf8"), "2026-11-18T12:00:00.000Z warn  something\n");
});

test("what failed is logged with its status or error; what was fetched only if that is wanted", (t) => {
  const outcomes = [answered(200), answered(503), answered(0, { metadata: { error: "reset" } }), answered(404)];
  const [quiet, detailed] = [open(t), open(t, { ...SETTINGS, fetches: true })];
  for (const record of outcomes) {
    quiet.log.settled(record);
    detailed.log.settled(record);
  }
  const failures = [
    "warn  failed: 503 https://github.com/a/b (retries: 3)",
    "warn  failed: reset https://github.com/a/b (retries: 3)",
  ];
  assert.deepEqual(quiet.lines(), failures);
  assert.deepEqual(detailed.lines(), [
    "info  fetched: 200 https://github.com/a/b (1200 bytes, 40 ms)",
    ...failures,
    "info  fetched: 404 https://github.com/a/b (1200 bytes, 40 ms)",
  ]);
});

test("a host that rests again and again is logged once, until it answers; counts once a minute", async (t) => {
  const { log, clock, lines } = open(t);
  const until = START / 1_000 + 8;
  let resting = [{ host: "github.com", until, why: "it answered 429" }];
  log.watch(
    () => resting,
    () => ({ fetched: 18, failed: 0, open: 48 }),
  );
  await clock.advance(2_000);
  resting = [];
  await clock.advance(1_000);
  resting = [{ host: "github.com", until: until + 8, why: "it answered 429" }];
  await clock.advance(1_000);
  resting = [];
  log.settled(answered(200));
  log.settled(answered(200));
  resting = [{ host: "github.com", until: until + 99, why: "it answered 503" }];
  await clock.advance(57_000);
  assert.deepEqual(lines(), [
    "warn  github.com rests until 2026-11-18T12:00:08.000Z: it answered 429",
    "info  github.com answers again",
    "warn  github.com rests until 2026-11-18T12:01:47.000Z: it answered 503",
    "info  18 fetched, 0 failed, 48 open",
  ]);
  log.end({ state: "completed", parked: ["github.com"], error: null }, { fetched: 18, failed: 0, open: 48 });
  await clock.advance(120_000);
  assert.deepEqual(lines().slice(4), ["info  run paused: 18 fetched, 0 failed, 48 open; waiting for github.com"]);
});

test("notices to the user, pauses, and an error that ended the run", (t) => {
  const { log, lines } = open(t);
  const told: string[] = [];
  log.telling((text) => told.push(text))("52 URLs are queued");
  log.pauses(["disk", "file"]);
  log.pauses([]);
  log.end({ state: "failed", parked: [], error: new Error("no room") }, { fetched: 1, failed: 0, open: 2 });
  assert.deepEqual(told, ["52 URLs are queued"]);
  assert.deepEqual(lines(), [
    "info  52 URLs are queued",
    "info  paused: disk, file",
    "info  continuing",
    "error run failed: 1 fetched, 0 failed, 2 open; no room",
  ]);
});
