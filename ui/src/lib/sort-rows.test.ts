import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sortRows } from "./sort-rows.ts";

describe("sortRows", () => {
  it("puts what is missing last in either direction", () => {
    const rows = [{ n: 2 }, { n: null }, { n: 10 }];
    const values = (isDescending: boolean) => sortRows(rows, ({ n }) => n, isDescending).map(({ n }) => n);
    assert.deepEqual(values(false), [2, 10, null]);
    assert.deepEqual(values(true), [10, 2, null]);
  });

  it("sorts texts as people do", () => {
    assert.deepEqual(
      sortRows(["page10", "Page2"], (text) => text, false),
      ["Page2", "page10"],
    );
  });
});
