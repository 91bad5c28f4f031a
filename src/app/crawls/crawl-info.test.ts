import assert from "node:assert/strict";
import { test } from "node:test";
import { crawledShare } from "./crawl-info.ts";

test("progress is never all while the crawl may find more", () => {
  assert.equal(crawledShare(0, 0, true), 0);
  assert.equal(crawledShare(500, 500, true), 0.5);
  assert.equal(crawledShare(10, 0, true), 0.99);
  assert.equal(crawledShare(999_999, 1, true), 0.99);
  assert.equal(crawledShare(999_999, 1, false), 0.99, "stopped with one URL queued");
  assert.equal(crawledShare(10, 0, false), 1);
});
