import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { rowAfterKey, sortRows, topToShow } from "./rows.ts";

describe("sortRows", () => {
  it("puts missing values last in either direction", () => {
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

const place = { active: 5, total: 100, pageRows: 20 };

test("arrows, pages and ends", () => {
  assert.equal(rowAfterKey("ArrowDown", place), 6);
  assert.equal(rowAfterKey("ArrowUp", place), 4);
  assert.equal(rowAfterKey("j", place), 6);
  assert.equal(rowAfterKey("k", place), 4);
  assert.equal(rowAfterKey("PageDown", place), 24);
  assert.equal(rowAfterKey("PageUp", place), 0);
  assert.equal(rowAfterKey("Home", place), 0);
  assert.equal(rowAfterKey("End", place), 99);
  assert.equal(rowAfterKey("x", place), null);
});

test("without an active row, down goes to the first; an empty grid has no rows", () => {
  assert.equal(rowAfterKey("ArrowDown", { ...place, active: -1 }), 0);
  assert.equal(rowAfterKey("ArrowUp", { ...place, active: -1 }), 0);
  assert.equal(rowAfterKey("End", { active: -1, total: 0, pageRows: 3 }), null);
});

test("a visible row does not scroll; others come to the nearer edge", () => {
  assert.equal(topToShow(5, 30, 100, 300), 100);
  assert.equal(topToShow(1, 30, 100, 300), 30);
  assert.equal(topToShow(20, 30, 100, 300), 330);
});
