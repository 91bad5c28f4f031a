import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { regexSize, safeRegex } from "./safe-regex.ts";

test("an expression is sought anywhere, in its flags", () => {
  assert.ok(safeRegex("/page-\\d+", "").test("https://e.example/page-12"));
  assert.ok(!safeRegex("^/page", "").test("https://e.example/page"));
  assert.ok(safeRegex("PAGE", "i").test("/page"));
  assert.ok(safeRegex("^b$", "m").test("a\nb"));
  assert.ok(safeRegex("a.b", "s").test("a\nb"));
  assert.ok(!safeRegex("a.b", "").test("a\nb"));
  assert.ok(safeRegex("page", "u").test("/page"));
});

test("errors say what a linear engine cannot do, and what is not an expression", () => {
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

test("an expression that would take seconds to compile is refused, and its size is said", () => {
  for (const source of [
    "a{1000}".repeat(500),
    "(?:abcdefghijk){1000}",
    "((\\w{2,10}x){30}y){30}",
    `${"x".repeat(10_001)}.`,
    "(a){1000}{0}b",
  ]) {
    assert.throws(
      () => safeRegex(source, ""),
      { code: "BAD_CONFIG", message: /steps|repetition/ },
      source.slice(0, 30),
    );
  }
  const usual = [
    "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    "^/(\\d{4})/(\\d{2})/$",
    "\\x{41}+",
    "a{2,}",
    "(?:one|two){1,3}",
  ];
  for (const source of [...usual, Array(570).fill("a-word").join("|")]) assert.ok(safeRegex(source, ""), source);
});

test("no expression compiles to more steps than its size", () => {
  const piece = fc.constantFrom("a", ".", "\\d", "[a-z(]", "\\)", "\\Q(\\E", "b|c", "\\pL", "^", "");
  const repeated = fc.constantFrom("", "+", "*?", "{3}", "{0,12}", "{7,}", "{2,5}?");
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc
      .array(
        fc.tuple(
          fc.oneof(
            { maxDepth: 4 },
            piece,
            tie("expression").map((inner) => `(${inner})`),
          ),
          repeated,
        ),
        { maxLength: 4 },
      )
      .map((parts) => parts.flat().join("")),
  }));
  fc.assert(
    fc.property(expression, (source) => {
      fc.pre(regexSize(source) < 20_000);
      let steps = 0;
      try {
        steps = RE2JS.compile(source).programSize();
      } catch {
        return;
      }
      assert.ok(steps <= 2 * regexSize(source) + 10, `${source}: ${steps} steps, size ${regexSize(source)}`);
    }),
    { numRuns: 2_000 },
  );
});
