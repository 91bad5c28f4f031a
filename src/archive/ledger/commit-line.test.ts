/** A commit counts only when its line is whole. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { type Commit, checkAt, decodeCommit, encodeCommit, hexOf } from "./commit-line.ts";

const text = fc.string({ unit: "binary" });
const commit: fc.Arbitrary<Commit> = fc.record(
  {
    commit: fc.nat(),
    lines: fc.tuple(fc.nat(), fc.nat()),
    records: fc.nat(),
    settled: fc.array(
      fc.tuple(
        text,
        fc.constantFrom("done" as const, "failed" as const),
        fc.array(fc.oneof(fc.nat(), fc.tuple(fc.nat(), fc.nat()))),
        fc.option(text),
      ),
    ),
    retried: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat())),
    notes: fc.array(fc.tuple(text, text)),
  },
  { requiredKeys: ["commit"], noNullPrototype: true },
);

it("any commit comes back as it was", () => {
  fc.assert(
    fc.property(commit, (each) => {
      assert.deepEqual(decodeCommit(Buffer.from(encodeCommit(each).slice(0, -1))), each);
    }),
  );
});

it("a line cut anywhere, or with a byte changed, is none", () => {
  const bytes = Buffer.from(
    encodeCommit({ commit: 3, lines: [1, 2], settled: [["a", "done", [1, [2, 5]], null]] }).slice(0, -1),
  );
  for (let at = 0; at < bytes.length; at++) {
    assert.equal(decodeCommit(bytes.subarray(0, at)), null);
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    assert.equal(decodeCommit(changed), null);
  }
  fc.assert(fc.property(fc.uint8Array(), (any) => assert.equal(decodeCommit(Buffer.from(any)), null)));
});

it("checks are found by their place", () => {
  const checks = [0, 1, 0xffffffff, 0xabc];
  const joined = checks.map(hexOf).join("");
  assert.deepEqual(
    checks.map((_, at) => checkAt(joined, at)),
    checks,
  );
});
