import assert from "node:assert/strict";
import { test } from "node:test";
import { labelLeft, mix } from "./drawing-look.ts";

test("a colour over another", () => {
  assert.equal(mix("rgb(0, 100, 200)", "rgb(255, 255, 255)", 1), "rgb(0, 100, 200)");
  assert.equal(mix("rgb(0, 100, 200)", "rgb(255, 255, 255)", 0), "rgb(255, 255, 255)");
  assert.equal(mix("rgb(0, 100, 200)", "rgb(100, 0, 0)", 0.5), "rgb(50, 50, 100)");
});

test("a label is on the right of its dot, on the left at the right edge, and over it where it fits on neither side", () => {
  assert.equal(labelLeft(100, 5, 80, 400), 105);
  assert.equal(labelLeft(350, 5, 80, 400), 265);
  assert.equal(labelLeft(50, 5, 80, 100), 20);
  assert.equal(labelLeft(50, 5, 120, 100), 0);
});
