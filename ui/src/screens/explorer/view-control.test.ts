import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_COLUMNS, moved, movedTo, readColumns, writeColumns } from "./view-control.ts";

test("columns move, but not past the ends", () => {
  assert.deepEqual(moved(["a", "b", "c"], "a", 1), ["b", "a", "c"]);
  assert.deepEqual(moved(["a", "b", "c"], "a", -1), ["a", "b", "c"]);
  assert.deepEqual(movedTo(["a", "b", "c", "d"], "d", "b"), ["a", "d", "b", "c"]);
  assert.deepEqual(movedTo(["a", "b", "c", "d"], "a", "c"), ["b", "c", "a", "d"]);
});

test("columns are kept; what cannot be read is forgotten", () => {
  const store = new Map<string, string>();
  const storage = {
    getItem: (key: string) => store.get(key) ?? null,
    setItem: (key: string, value: string) => void store.set(key, value),
  };
  assert.deepEqual(readColumns(storage), DEFAULT_COLUMNS);
  const own = { fields: ["url"], pinned: [], widths: { url: 200 } };
  writeColumns(storage, own);
  assert.deepEqual(readColumns(storage), own);
  for (const broken of ["{", '{"fields":[]}', '{"fields":["url"],"pinned":[1],"widths":{}}', "null"]) {
    store.set("trawl.explorer.columns", broken);
    assert.deepEqual(readColumns(storage), DEFAULT_COLUMNS);
  }
});
