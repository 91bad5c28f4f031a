import assert from "node:assert/strict";
import { test } from "node:test";
import { depthBins, depthTitle, timeBins, totalOf } from "./overview-counts.ts";

const depth = (at: number, ok: number, clientError = 0) => ({
  depth: at,
  total: ok + clientError,
  ok,
  redirect: 0,
  clientError,
  serverError: 0,
  noAnswer: 0,
  client: clientError,
  server: 0,
  failed: 0,
  filter: ["role=document", `depth=${at}`],
});

test("few depths have a bin each", () => {
  const bins = depthBins([depth(0, 1), depth(1, 5, 2)], 12);
  assert.deepEqual(
    bins.map(({ from, isOpenEnded, total }) => [from, isOpenEnded, total]),
    [
      [0, false, 1],
      [1, false, 7],
    ],
  );
});

test("what is deeper than fits is in the last bin, and nothing is lost", () => {
  const depths = Array.from({ length: 10_000 }, (_, at) => depth(at, 2, at % 2));
  const bins = depthBins(depths, 12);
  assert.equal(bins.length, 12);
  assert.deepEqual([bins.at(-1)!.from, bins.at(-1)!.isOpenEnded], [11, true]);
  assert.deepEqual(bins.at(-1)!.filter, ["role=document", "depth>=11"]);
  assert.equal(
    bins.reduce((sum, { total }) => sum + total, 0),
    25_000,
  );
  for (const { total, parts } of bins)
    assert.equal(
      parts.reduce((sum, { value }) => sum + value, 0),
      total,
    );
});

test("exactly as many depths as fit stay apart", () => {
  const bins = depthBins([depth(0, 1), depth(1, 1), depth(2, 1)], 3);
  assert.deepEqual(
    bins.map(({ isOpenEnded }) => isOpenEnded),
    [false, false, false],
  );
});

test("a depth in words leaves out empty classes", () => {
  assert.equal(depthTitle(depthBins([depth(3, 4, 1)], 12)[0]!), "Depth 3: 5 (4 OK, 1 Client error)");
});

test("ranges of time: the empty tail goes, five stay, and over a second is marked", () => {
  const times = [50, 100, 200, 500, 1_000, 2_000, null].map((toMs, at, all) => ({
    fromMs: all[at - 1] ?? 0,
    toMs,
    count: at === 0 ? 9 : 0,
    filter: [],
  }));
  assert.deepEqual(
    timeBins(times).map(({ value }) => value),
    [9, 0, 0, 0, 0],
  );
  const slow = timeBins(times.map((row) => ({ ...row, count: 1 })));
  assert.equal(slow.length, 7);
  assert.deepEqual(
    slow.map(({ tone }) => tone === "warn"),
    [false, false, false, false, false, true, true],
  );
  assert.ok(slow.at(-1)!.label.startsWith(">"));
});

test("counts", () => {
  const rows = [
    { value: "Yes", count: 3 },
    { value: "No", count: 4 },
  ];
  assert.equal(totalOf(rows), 7);
});
