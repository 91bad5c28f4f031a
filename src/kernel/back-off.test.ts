import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type BackOff, backOff } from "./back-off.ts";

const waits = (policy: BackOff, failures: number[]) => failures.map((count) => backOff(policy, count));

test("back-off: each wait is twice the one before, up to the limit", () => {
  assert.deepEqual(waits({ firstMs: 500, maxMs: 3_000 }, [1, 2, 3, 4, 5]), [500, 1_000, 2_000, 3_000, 3_000]);
});

test("back-off: the factor may be another", () => {
  assert.deepEqual(waits({ firstMs: 10, maxMs: 1_000, factor: 4 }, [1, 2, 3, 4, 5]), [10, 40, 160, 640, 1_000]);
});

test("back-off: jitter takes away at most its share", () => {
  const at = (jitter: number, roll: number) => backOff({ firstMs: 800, maxMs: 800, jitter }, 1, () => roll);
  assert.deepEqual([at(1, 0), at(1, 0.5), at(0.5, 0), at(0.5, 0.5), at(0, 0.5)], [0, 400, 400, 600, 800]);
});

test("back-off: any number of failures gives a wait between nothing and the limit", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.integer({ min: 0 }), share, share, (firstMs, maxMs, failures, jitter, roll) => {
      const wait = backOff({ firstMs, maxMs, jitter }, failures, () => roll);
      assert.ok(wait >= 0 && wait <= maxMs);
    }),
  );
});
