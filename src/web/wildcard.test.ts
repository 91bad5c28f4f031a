import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileWildcard } from "./wildcard.ts";

test("stars stand for any characters; the end is free or fixed", () => {
  assert.ok(compileWildcard("/a*b", false)("/axxbyy"));
  assert.ok(!compileWildcard("/a*b", true)("/axxbyy"));
  assert.ok(compileWildcard("/a*b", true)("/axbxb"));
  assert.ok(compileWildcard("", false)("anything"));
  assert.ok(!compileWildcard("", true)("anything"));
  assert.ok(compileWildcard("*", true)(""));
  assert.ok(!compileWildcard("ab*ba", true)("aba"), "pieces do not overlap");
});

test("matching equals a regular expression, on short texts and on long ones", () => {
  const letters = fc.array(fc.constantFrom("a", "a", "b", "*"), { maxLength: 30 }).map((parts) => parts.join(""));
  const text = fc.array(fc.constantFrom("a", "a", "b"), { maxLength: 40 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(letters, text, fc.boolean(), fc.boolean(), (pattern, body, toEnd, long) => {
      const subject = long ? `${body}${"a".repeat(300)}` : body;
      const stars = pattern.replace(/\*+/g, "*");
      fc.pre(stars.split("*").length < 6);
      const source = stars.replace(/\*/g, "[^]*?");
      const expected = new RegExp(`^${source}${toEnd ? "$" : ""}`).test(subject);
      assert.equal(compileWildcard(pattern, toEnd)(subject), expected);
    }),
    { numRuns: 3000 },
  );
});

test("a hostile pattern on a long text stays linear", () => {
  // The built-in search compares a million characters for this one, a regular expression far more.
  const piece = `${"a".repeat(500)}b${"a".repeat(499)}`;
  const matches = compileWildcard(`/*${piece}*${piece}`, true);
  const text = `/${"a".repeat(100_000)}`;
  const start = process.cpuUsage();
  assert.ok(!matches(text));
  assert.ok(process.cpuUsage(start).user < 1_000_000);
});
