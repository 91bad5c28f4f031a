import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TrawlError } from "../../errors.ts";
import { readPosition, START, writePosition } from "./position.ts";

test("what is written is read again", () => {
  const count = fc.integer({ min: 0, max: 1e12 });
  const cursor = fc.oneof(fc.constant(null), fc.string({ minLength: 1, unit: "binary" }));
  fc.assert(
    fc.property(fc.record({ before: count, skip: count, cursor }, { noNullPrototype: true }), (position) => {
      assert.deepEqual(readPosition(writePosition(position)), position);
    }),
  );
  assert.equal(readPosition(null), START);
});

test("anything else is an error that says so", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      if (/^\d+\.\d+:/.test(text)) return;
      assert.throws(
        () => readPosition(text),
        (error) => error instanceof TrawlError && error.code === "BAD_USAGE",
      );
    }),
  );
});
