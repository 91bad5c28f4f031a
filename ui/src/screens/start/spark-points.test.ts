import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { sparkPoints } from "./spark-points.ts";

describe("sparkPoints", () => {
  it("stays inside its box", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { maxLength: 40 }), (values) => {
        for (const [x, y] of sparkPoints(values, 100, 20)) {
          assert.ok(x >= 0 && x <= 100 && y >= 0 && y <= 20);
        }
      }),
    );
  });
});
