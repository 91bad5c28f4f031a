import assert from "node:assert/strict";
import { test } from "node:test";
import { FIELD_NAMES } from "../../../../src/site/facts/fact-fields.ts";
import { parseFilter } from "../../../../src/site/store/filter/filter.ts";
import { otherFilters, PLACES, QUICK_FILTERS, quickColumns, quickFiltersOf, toggleQuick } from "./quick-filters.ts";

const quick = (id: string) => QUICK_FILTERS.find((one) => one.id === id)!;

test("every filter is one that the server reads", () => {
  for (const { filters, columns } of [...PLACES, ...QUICK_FILTERS]) {
    for (const text of filters) assert.doesNotThrow(() => parseFilter(text));
    for (const name of columns) assert.ok(FIELD_NAMES.includes(name), name);
  }
});

test("quick filters go in and out together, one of the answers at a time", () => {
  const broken = toggleQuick(quick("4xx"), ["depth>2"]);
  assert.deepEqual(broken, ["depth>2", "status=4xx"]);
  assert.deepEqual(toggleQuick(quick("5xx"), broken), ["depth>2", "status=5xx"]);
  assert.deepEqual(toggleQuick(quick("4xx"), broken), ["depth>2"]);
});

test("what two quick filters share stays until both are gone", () => {
  const both = toggleQuick(quick("no-description"), toggleQuick(quick("no-title"), []));
  assert.deepEqual(
    quickFiltersOf(both).map(({ id }) => id),
    ["no-title", "no-description"],
  );
  const one = toggleQuick(quick("no-title"), both);
  assert.deepEqual(
    quickFiltersOf(one).map(({ id }) => id),
    ["no-description"],
  );
  assert.deepEqual(toggleQuick(quick("no-description"), one), []);
  assert.deepEqual(otherFilters([...both, "depth>2"]), ["depth>2"]);
});

test("quick filters bring their columns behind the status, and take them away again", () => {
  const own = ["url", "status", "title", "foundOn"];
  assert.deepEqual(quickColumns(["status=3xx"], own), ["url", "status", "redirectTo", "foundOn", "title"]);
  assert.deepEqual(quickColumns(["depth>2"], own), own);
  assert.deepEqual(quickColumns(["error!="], ["title", "url"]), ["title", "url", "error", "foundOn"]);
});

test("a tab replaces another tab, and the answer chosen within it stays", () => {
  const [internal, external] = PLACES;
  const first = toggleQuick(quick("4xx"), toggleQuick(internal!, []));
  assert.deepEqual(toggleQuick(external!, first), ["status=4xx", "internal=false"]);
});
