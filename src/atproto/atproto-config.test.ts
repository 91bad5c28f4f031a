import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAtprotoConfig, parseSize } from "./atproto-config.ts";
import { skipRule } from "./did-feed.ts";
import { pdsLanePolicy, tierBySize } from "./lane-policy.ts";

const config = (more: object = {}) => parseAtprotoConfig({ source: ["clickhouse"], ...more });

test("the defaults of the Go crawler", () => {
  const { workers, defaultPdsRps, segmentSize, zstdLevel, pageSize, skipPds, resume, maxRepoSize } = config();
  assert.deepEqual(
    { workers, defaultPdsRps, segmentSize, zstdLevel, pageSize, skipPds, resume, maxRepoSize },
    {
      workers: null,
      defaultPdsRps: 5,
      segmentSize: 2 * 1024 ** 3,
      zstdLevel: 3,
      pageSize: 50_000,
      skipPds: [],
      resume: false,
      maxRepoSize: 100 * 1024 ** 2,
    },
  );
});

test("sizes as people write them, and as numbers", () => {
  assert.equal(config({ segmentSize: "512MB" }).segmentSize, 512 * 1024 ** 2);
  assert.equal(config({ segmentSize: 4_096 }).segmentSize, 4_096);
  assert.equal(config({ maxRepoSize: "2GB" }).maxRepoSize, 2 ** 31);
  assert.throws(() => config({ maxRepoSize: "2.1GB" }), /max-?repo-?size.*at most 2GB/i);
});

test("all problems at once", () => {
  assert.throws(
    () => parseAtprotoConfig({ source: [], workers: 0, segmentSize: "big", zstdLevel: 20, worker: 1 }),
    ({ code, message }: { code: string; message: string }) => {
      assert.equal(code, "BAD_CONFIG");
      for (const name of ["source", "workers", "segmentSize", "zstdLevel", "worker: there is no such setting"]) {
        assert.ok(message.includes(name), name);
      }
      return true;
    },
  );
});

test("rates by the size of a PDS, and how slow each may become", () => {
  const rows = [1, 99, 100, 999, 1_000, 500_000].map((repos) => {
    const { intervalMs, minPace } = pdsLanePolicy(tierBySize(repos), config());
    return [1000 / intervalMs, (1000 / intervalMs) * minPace];
  });
  assert.deepEqual(rows, [
    [2, 0.5],
    [2, 0.5],
    [5, 0.5],
    [5, 0.5],
    [10, 0.5],
    [10, 0.5],
  ]);
  assert.equal(pdsLanePolicy("medium", config({ defaultPdsRps: 0.5 })).minPace, 1);
  const { halveEvery, blockAfter, recovery, onGiveUp } = pdsLanePolicy("small", config());
  assert.deepEqual(
    { halveEvery, blockAfter, recovery, onGiveUp },
    { halveEvery: 5, blockAfter: 10, recovery: 1, onGiveUp: "fail" },
  );
});

test("hosts that are skipped, by name, with stars, by address and by expression", () => {
  const isSkipped = skipRule([
    "junk.example",
    "*.Spam.example",
    "https://one.example:8443",
    "/^https:\\/\\/pds\\d+\\./",
  ]);
  const skipped = [
    "https://junk.example",
    "https://junk.example:444",
    "https://a.spam.example",
    "https://one.example:8443",
    "https://pds12.example",
  ];
  for (const origin of skipped) assert.ok(isSkipped(origin), origin);
  for (const origin of [
    "https://notjunk.example",
    "https://spam.example",
    "https://one.example",
    "https://pds.example",
  ]) {
    assert.ok(!isSkipped(origin), origin);
  }
});

test("sizes: units count by 1024", () => {
  assert.equal(parseSize("2GB"), 2 * 1024 ** 3);
  assert.equal(parseSize("100MB"), 100 * 1024 ** 2);
  assert.equal(parseSize("512 KiB"), 512 * 1024);
  assert.equal(parseSize("1.5g"), 1.5 * 1024 ** 3);
  assert.equal(parseSize(" 3tb "), 3 * 1024 ** 4);
  assert.equal(parseSize("4096"), 4096);
  assert.equal(parseSize("7b"), 7);
});

test("a text that is not a size is refused", () => {
  for (const text of ["", "GB", "-1GB", "2 XB", "1e9", "0", "2GBs", "9999999999TB", "0x10", "1.KB", "Infinity"]) {
    assert.throws(() => parseSize(text), { code: "BAD_CONFIG" }, text);
  }
});
