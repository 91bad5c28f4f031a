import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cut, padEnd, padStart, widthOf, wrap } from "./width.ts";

test("wide characters take two columns, marks and colours none", () => {
  assert.equal(widthOf("abc"), 3);
  assert.equal(widthOf("日本"), 4);
  assert.equal(widthOf("e\u0301"), 1);
  assert.equal(widthOf("\u001b[31mabc\u001b[39m"), 3);
});

test("a cut text ends in an ellipsis and fits", () => {
  assert.equal(cut("https://example.com/", 10), "https://e…");
  assert.equal(cut("日本語日本語", 6), "日本…");
  assert.equal(cut("short", 5), "short");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (text, columns) => {
      assert.ok(widthOf(cut(text, columns)) <= columns);
    }),
  );
});

test("padding counts columns, not characters", () => {
  assert.equal(padEnd("日本", 6), "日本  ");
  assert.equal(padStart("7", 3), "  7");
  assert.equal(padEnd("longer", 3), "longer");
});

test("wrapping keeps every word, and breaks none", () => {
  assert.deepEqual(wrap("one two three", 7), ["one two", "three"]);
  assert.deepEqual(wrap("https://example.com/long rest", 10), ["https://example.com/long", "rest"]);
});
