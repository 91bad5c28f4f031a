import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { normalizePercent } from "./percent.ts";

test("hexadecimal digits are upper-cased, unreserved characters decoded, nothing else", () => {
  assert.equal(normalizePercent("/plain"), "/plain");
  assert.equal(normalizePercent("/%c3%a9"), "/%C3%A9");
  assert.equal(normalizePercent("/%7Euser/%41%2d%2E%5f"), "/~user/A-._");
  assert.equal(normalizePercent("/a%2fb%20c%3f"), "/a%2Fb%20c%3F");
  assert.equal(normalizePercent("%25%32%35"), "%2525");
});

test("a stray % stays, and no pair is made by decoding behind it", () => {
  assert.equal(normalizePercent("100%"), "100%");
  assert.equal(normalizePercent("%zz%41"), "%zzA");
  assert.equal(normalizePercent("%4%31"), "%4%31");
  assert.equal(normalizePercent("%%34%31"), "%%341");
});

test("a second pass changes nothing", () => {
  const piece = fc.constantFrom("%", "4", "1", "%41", "%2f", "%25", "z", "/", "%3", "é");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const once = normalizePercent(pieces.join(""));
      assert.equal(normalizePercent(once), once);
    }),
    { numRuns: 2000 },
  );
});
