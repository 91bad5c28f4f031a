import assert from "node:assert/strict";
import { test } from "node:test";
import { comparedPair, toggleChosen } from "./chosen-crawls.ts";

test("two can be selected; a third replaces the first", () => {
  assert.deepEqual(toggleChosen([], 4), [4]);
  assert.deepEqual(toggleChosen([4], 7), [4, 7]);
  assert.deepEqual(toggleChosen([4, 7], 2), [7, 2]);
  assert.deepEqual(toggleChosen([4, 7], 4), [7]);
});

test("the earlier is the one with the smaller number, whichever was chosen first", () => {
  const crawls = [{ id: 7 }, { id: 4 }];
  assert.deepEqual(comparedPair([7, 4], crawls), { earlier: 4, later: 7 });
  assert.equal(comparedPair([7], crawls), null);
  // One that was deleted in the meantime cannot be compared.
  assert.equal(comparedPair([7, 5], crawls), null);
});
