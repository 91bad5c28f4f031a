/** A commit counts only when its line is whole. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import {
  type Commit,
  checkAt,
  decodeCommit,
  decodeFetched,
  encodeCommit,
  encodeFetched,
  hexOf,
} from "./commit-line.ts";

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

it("a line cut anywhere, or with a byte changed, is refused", () => {
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

it("a URL is its own line", () => {
  assert.equal(encodeFetched("https://github.com/日本/a b"), "https://github.com/日本/a b\n");
});

it("any text comes back as it was, on one line of UTF-8", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "\n", '"', "a\rb", "\ud800", "\u007f"));
  fc.assert(
    fc.property(text, (url) => {
      const line = encodeFetched(url);
      assert.equal(line.indexOf("\n"), line.length - 1);
      assert.equal(decodeFetched(Buffer.from(line).subarray(0, -1).toString()), url);
    }),
  );
});

it("anything else is refused without an exception", () => {
  for (const line of ["", '"', '"a', "\u0000\u0000", "12\u0007", '"a" b', "[1]\t"])
    assert.equal(decodeFetched(line), null);
  fc.assert(fc.property(fc.string({ unit: "binary" }), (line) => void decodeFetched(line)));
});
