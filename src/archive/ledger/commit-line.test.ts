/** A commit counts only when its line is whole. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { addSum, follows, hexOf, readSum } from "../../storage/line-sums.ts";
import {
  type Commit,
  checkAt,
  decodeCommit,
  decodeFetched,
  encodeCommit,
  encodeFetched,
  isOldCommit,
} from "./commit-line.ts";

const lineOf = (each: Commit): Buffer => addSum(encodeCommit(each), 0).line.subarray(0, -1);
const text = fc.string({ unit: "binary" });
const commit: fc.Arbitrary<Commit> = fc.record(
  {
    commit: fc.nat(),
    sums: fc.record({ frontier: fc.nat(), robots: fc.nat() }, { noNullPrototype: true }),
    records: fc.tuple(fc.nat(), fc.nat()),
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
      assert.deepEqual(decodeCommit(lineOf(each)), each);
    }),
  );
});

it("a line cut anywhere, or with a byte changed, is refused", () => {
  const bytes = lineOf({ commit: 3, records: [1, 2], settled: [["a", "done", [1, [2, 5]], null]] });
  for (let at = 0; at < bytes.length; at++) {
    assert.equal(decodeCommit(bytes.subarray(0, at)), null);
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    const sum = readSum(changed);
    // Of the last digits only the line before says whether they are right.
    if (sum === null) assert.equal(decodeCommit(changed), null);
    else assert.ok(!follows(sum, 0));
  }
  fc.assert(fc.property(fc.uint8Array(), (any) => assert.equal(decodeCommit(Buffer.from(any)), null)));
});

it("a line from before sums covered the lines before it is read, and told apart", () => {
  const said = { commit: 3, lines: [1, 2] as [number, number], records: 7 };
  const written = JSON.stringify(said).slice(0, -1);
  const old = Buffer.from(`${written},"sum":"${hexOf(crc32(written))}"}`);
  assert.deepEqual(decodeCommit(old), said);
  assert.ok(isOldCommit(old));
  assert.ok(!isOldCommit(lineOf(said)));
  old[12]! ^= 1;
  assert.equal(decodeCommit(old), null);
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
