import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_ROWS, pageOf, pagesFor } from "./url-rows.ts";

test("a part of the table needs the pages around it, and none beyond the end", () => {
  assert.deepEqual(pagesFor(0, 30, 1_000_000), [0]);
  assert.deepEqual(pagesFor(80, 110, 1_000_000), [0, 1]);
  assert.deepEqual(pagesFor(999_960, 999_999, 1_000_000), [9_999]);
  assert.deepEqual(pagesFor(0, 0, 0), [0]);
  assert.deepEqual(pageOf(PAGE_ROWS * 3 + 7), { page: 3, at: 7 });
});
