import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { safeRegex } from "./regex.ts";

test("an expression is sought anywhere, in its flags", () => {
  assert.ok(safeRegex("/page-\\d+", "").test("https://e.example/page-12"));
  assert.ok(!safeRegex("^/page", "").test("https://e.example/page"));
  assert.ok(safeRegex("PAGE", "i").test("/page"));
  assert.ok(safeRegex("^b$", "m").test("a\nb"));
  assert.ok(safeRegex("a.b", "s").test("a\nb"));
  assert.ok(!safeRegex("a.b", "").test("a\nb"));
  assert.ok(safeRegex("page", "u").test("/page"));
});

test("what a linear engine cannot do, and what is no expression, is said plainly", () => {
  const cases: [string, string, RegExp][] = [
    ["(?=a)b", "", /look-ahead/],
    ["(?<!a)b", "", /look-behind/],
    ["(a)\\1", "", /back-references/],
    ["[a", "", /missing closing \]/],
    ["a", "g", /flag "g"/],
    ["a**", "", /nested repetition/],
  ];
  for (const [source, flags, message] of cases) {
    assert.throws(() => safeRegex(source, flags), { code: "BAD_CONFIG", message }, source);
  }
});

test("an expression that hangs JavaScript's engine is answered at once", () => {
  assert.equal(safeRegex("(a+)+$", "").test(`${"a".repeat(5000)}!`), false);
  assert.equal(safeRegex("(.*a){20}", "").test("a".repeat(19)), false);
});

test("plain texts equal the engine's answer, and no source breaks the program", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (source, text) => {
      try {
        safeRegex(source, "").test(text);
      } catch (error) {
        assert.equal((error as { code?: string }).code, "BAD_CONFIG");
      }
    }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom("a", "ab", "/", "-x"),
      fc.string({ unit: fc.constantFrom("a", "b", "/", "-", "x") }),
      (source, text) => {
        assert.equal(safeRegex(source, "").test(text), safeRegex(`(?:${source})`, "").test(text));
      },
    ),
  );
});
