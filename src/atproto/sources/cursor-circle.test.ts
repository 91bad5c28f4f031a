import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CursorCircle } from "./cursor-circle.ts";

test("a circle is noticed wherever it begins, within three times its length and that of the way to it", () => {
  fc.assert(
    fc.property(fc.nat(200), fc.integer({ min: 1, max: 200 }), (way, length) => {
      const circle = new CursorCircle();
      let read = 0;
      while (!circle.closes(`${read < way ? read : way + ((read - way) % length)}`)) read++;
      return read >= way && read < 3 * (way + length);
    }),
  );
});

test("cursors that all differ are never a circle", () => {
  const circle = new CursorCircle();
  assert.ok(Array.from({ length: 5_000 }, (_, at) => circle.closes(`${at}`)).every((closed) => !closed));
});
