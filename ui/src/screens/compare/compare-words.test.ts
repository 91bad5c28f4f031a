import assert from "node:assert/strict";
import { test } from "node:test";
import { difference, shownCell } from "./compare-words.ts";

test("values as they are shown", () => {
  assert.equal(shownCell("title", null), null);
  assert.equal(shownCell("title", ""), null);
  assert.equal(shownCell("status", 1200), "1200");
  assert.equal(shownCell("contentHash", "783be74fb0cd0892"), "783be74f…");
  assert.equal(shownCell("wordCount", 118), "118");
  assert.equal(shownCell("indexability", "noindex_meta"), "noindex in a meta tag");
});

test("amounts say by how much, codes do not", () => {
  assert.equal(difference("wordCount", 118, 120), "+2");
  assert.equal(difference("wordCount", 120, 118), "−2");
  assert.equal(difference("status", 200, 404), null);
  assert.equal(difference("title", "a", "b"), null);
  assert.equal(difference("wordCount", null, 3), null);
});
