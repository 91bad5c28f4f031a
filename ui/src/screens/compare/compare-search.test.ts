import assert from "node:assert/strict";
import { test } from "node:test";
import { compareSearch } from "./compare-search.ts";

const nothing = { with: undefined, change: undefined, effect: undefined, field: undefined, search: undefined };

test("what is not known is left out", () => {
  assert.deepEqual(compareSearch({}), nothing);
  assert.deepEqual(compareSearch({ with: "x", change: "moved", field: "", search: [] }), nothing);
  assert.deepEqual(compareSearch({ with: -2 }), nothing);
});

test("what is known is taken, also as the router reads it", () => {
  assert.deepEqual(compareSearch({ with: "3", change: "not_crawled", effect: "fixed", field: "title", search: 404 }), {
    with: 3,
    change: "not_crawled",
    effect: "fixed",
    field: "title",
    search: "404",
  });
});
