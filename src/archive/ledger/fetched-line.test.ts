/** A line of fetched_urls.txt is the URL itself; whatever cannot be a line comes back all the same. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { decodeFetched, encodeFetched } from "./fetched-line.ts";

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
