import assert from "node:assert/strict";
import { test } from "node:test";
import { KEPT_SAMPLES, LiveSamples } from "./live-counts.ts";

const counts = (crawled: number, errors = 0, open = 0) => ({ pages: crawled, crawled: crawled * 2, errors, open });

test("live samples: speeds are of the time between two measures, however long it was", () => {
  const samples = new LiveSamples(0, counts(100));
  samples.add(1_000, counts(110, 1, 5));
  samples.add(3_000, counts(120, 5, 7));
  assert.deepEqual(samples.all, [
    { at: 1_000, pagesPerSecond: 10, urlsPerSecond: 20, errorsPerSecond: 1, open: 5, isAfterPause: false },
    { at: 3_000, pagesPerSecond: 5, urlsPerSecond: 10, errorsPerSecond: 2, open: 7, isAfterPause: false },
  ]);
  assert.deepEqual([samples.pagesPerSecond(), samples.urlsPerSecond()], [20 / 3, 40 / 3]);
});

test("live samples: the current speed is of the last ten, and 0 before the first", () => {
  const samples = new LiveSamples(0, counts(0));
  assert.equal(samples.pagesPerSecond(), 0);
  for (let second = 1; second <= 20; second++) samples.add(second * 1_000, counts(second <= 10 ? second * 100 : 1_000));
  assert.equal(samples.pagesPerSecond(), 0);
});

test("live samples: ten minutes are kept", () => {
  const samples = new LiveSamples(0, counts(0));
  for (let second = 1; second <= KEPT_SAMPLES + 50; second++) samples.add(second * 1_000, counts(second));
  assert.deepEqual([samples.all.length, samples.all[0]!.at], [KEPT_SAMPLES, 51_000]);
});

test("live samples: a clock that stops or goes back adds nothing, and no speed is negative", () => {
  const samples = new LiveSamples(1_000, counts(5));
  samples.add(1_000, counts(9));
  samples.add(500, counts(9));
  assert.equal(samples.all.length, 0);
  // A verdict that robots.txt turned later takes a page out of the count.
  samples.add(2_000, counts(4));
  assert.equal(samples.all[0]!.pagesPerSecond, 0);
});

test("live samples: a pause is in no speed, and the sample after it says so", () => {
  const samples = new LiveSamples(0, counts(0));
  samples.add(1_000, counts(10));
  samples.skipTo(60_000);
  samples.add(61_000, counts(20));
  assert.deepEqual(
    samples.all.map(({ pagesPerSecond, isAfterPause }) => [pagesPerSecond, isAfterPause]),
    [
      [10, false],
      [10, true],
    ],
  );
  samples.add(62_000, counts(30));
  assert.equal(samples.all[2]!.isAfterPause, false);
});
