import assert from "node:assert/strict";
import { test } from "node:test";
import { FIELD_NAMES } from "../../../../src/site/facts/fact-fields.ts";
import { DEFAULT_FIELDS, nextSort, readExplorerSearch, sameView, searchOf, viewOf } from "./url-view.ts";

test("the usual columns are fields of the server", () => {
  assert.deepEqual(
    DEFAULT_FIELDS.filter((name) => !FIELD_NAMES.includes(name)),
    [],
  );
});

test("a view goes into the address and comes back", () => {
  const own = ["url", "status"];
  const view = { fields: ["url", "title"], filter: ["status=4xx", "title~a,b"], search: "404", sort: "-depth" };
  assert.deepEqual(viewOf(readExplorerSearch({ ...searchOf(view, own) }), own), view);
  const plain = { fields: own, filter: [], search: null, sort: null };
  assert.deepEqual(searchOf(plain, own), { fields: undefined, filter: undefined, search: undefined, sort: undefined });
  assert.ok(sameView(viewOf({}, own), plain));
});

test("a mistyped address does no harm", () => {
  assert.deepEqual(readExplorerSearch({ filter: "status=404", search: 404, sort: { a: 1 }, fields: ["x"] }), {
    fields: undefined,
    filter: ["status=404"],
    search: "404",
    sort: undefined,
  });
});

test("sorting: numbers begin with the largest, the third click restores the order of the crawl", () => {
  assert.equal(nextSort(null, "size", true), "-size");
  assert.equal(nextSort("-size", "size", true), "size");
  assert.equal(nextSort("size", "size", true), null);
  assert.equal(nextSort("-size", "title", false), "title");
});
