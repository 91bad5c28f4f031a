import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAX_SHOWN, ScrollScale } from "./scroll-scale.ts";

const ROW = 30;
const VIEW = 700;

const scaleOf = (rows: number): ScrollScale => {
  const scale = new ScrollScale();
  scale.resize(rows * ROW, VIEW);
  return scale;
};

test("rows that fit scroll as usual", () => {
  const scale = scaleOf(1_000);
  assert.equal(scale.shownHeight, 30_000);
  assert.equal(scale.follow(12_345), 12_345);
  assert.equal(scale.shift, 0);
});

test("a million rows: both ends are reached, and the area stays under the cap", () => {
  const scale = scaleOf(1_000_000);
  assert.equal(scale.shownHeight, MAX_SHOWN);
  assert.equal(scale.follow(MAX_SHOWN - VIEW), 30_000_000 - VIEW);
  assert.equal(scale.follow(0), 0);
});

test("small steps move by pixels anywhere, and settling moves nothing visible", () => {
  const scale = scaleOf(1_000_000);
  const middle = scale.follow(4_000_000);
  for (let step = 1; step <= 50; step++) scale.follow(4_000_000 + step * 100);
  assert.equal(scale.realTop, middle + 5_000);
  const shown = scale.settle();
  assert.equal(scale.realTop, middle + 5_000);
  assert.equal(scale.follow(shown), middle + 5_000, "the browser's own event after settling changes nothing");
});

test("near the top and the bottom there is no drift", () => {
  const scale = scaleOf(1_000_000);
  for (let top = 0; top <= 90_000; top += 300) scale.follow(top);
  assert.equal(scale.shift, 0);
  for (let top = 90_000; top >= 0; top -= 300) scale.follow(top);
  assert.equal(scale.realTop, 0);
});

test("new rows do not move what is visible", () => {
  const scale = scaleOf(260_000);
  scale.goTo(5_000_000);
  scale.resize(900_000 * ROW, VIEW);
  assert.equal(scale.realTop, 5_000_000);
  scale.resize(100 * ROW, VIEW);
  assert.equal(scale.realTop, 100 * ROW - VIEW, "fewer rows than before: the end of them");
});

test("going to a row and reading the scroll bar there agree", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_000_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (rows, share) => {
      const scale = scaleOf(rows);
      const real = Math.floor(share * Math.max(0, rows * ROW - VIEW));
      const shown = scale.goTo(real);
      assert.ok(shown >= 0 && shown <= Math.max(0, scale.shownHeight - VIEW) + 1);
      // A pixel of the bar is a few rows at most; from another place, the same pixel leads to the same rows.
      const other = scaleOf(rows);
      other.goTo(real > 15_000_000 ? 0 : rows * ROW);
      const seen = other.follow(shown);
      assert.ok(Math.abs(seen - real) <= Math.max(JUMP, (rows * ROW) / MAX_SHOWN), `${seen} is not ${real}`);
    }),
  );
});
/** Steps under three screens are taken as they are. */
const JUMP = VIEW * 3 + 1;
