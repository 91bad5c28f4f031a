import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encode } from "../../repo/testing/cbor.ts";
import { dagCborOfJson } from "./recompute-cids.ts";

test("integers of 64 bits keep all their digits", () => {
  const cases: [string, string][] = [
    ["18446744073709551615", "1bffffffffffffffff"],
    ["9007199254740993", "1b0020000000000001"],
    ["-9223372036854775809", "3b8000000000000000"],
    ["1.5", "fb3ff8000000000000"],
    ['{"b":1,"aa":2,"a":3}', "a361610361620162616102"],
  ];
  for (const [json, cbor] of cases) {
    assert.equal(dagCborOfJson(Buffer.from(json))!.toString("hex"), cbor, json);
  }
});

test("another encoder gives the same", () => {
  const leaf = fc.oneof(fc.string({ unit: "grapheme" }), fc.maxSafeInteger(), fc.boolean(), fc.constant(null));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), tie("tree"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const json = Buffer.from(JSON.stringify(value));
      assert.deepEqual(dagCborOfJson(json), Buffer.from(encode(value)));
    }),
  );
});

test("JSON deeper than any record is not followed", () => {
  assert.equal(dagCborOfJson(Buffer.from("[".repeat(100_000) + "]".repeat(100_000))), null);
});
