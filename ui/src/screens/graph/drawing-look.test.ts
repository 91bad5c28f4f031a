import assert from "node:assert/strict";
import { test } from "node:test";
import { mix } from "./drawing-look.ts";

test("a colour over another", () => {
  assert.equal(mix("rgb(0, 100, 200)", "rgb(255, 255, 255)", 1), "rgb(0, 100, 200)");
  assert.equal(mix("rgb(0, 100, 200)", "rgb(255, 255, 255)", 0), "rgb(255, 255, 255)");
  assert.equal(mix("rgb(0, 100, 200)", "rgb(100, 0, 0)", 0.5), "rgb(50, 50, 100)");
});
