import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileFilter, compileWildcard, safeRegex } from "./filter.ts";

test("globs cover the whole text, from the path or from the scheme", () => {
  const cases: [string, string, boolean][] = [
    ["/blog/*", "https://e.example/blog/a/b?c", true],
    ["/blog/*", "https://e.example/x/blog/a", false],
    ["/blog", "https://e.example/blog/a", false],
    ["/a?b=*", "https://e.example/a?b=1", true],
    ["*.pdf", "https://e.example/a/b.pdf", true],
    ["*.pdf", "https://e.example/a/b.pdf?x", false],
    ["https://*.example/x*", "https://e.example/xyz", true],
    ["/(x)+.*", "https://e.example/(x)+.html", true],
    ["/blog/\\d+/", "https://e.example/blog/12/", true],
    ["/BLOG/i", "https://e.example/my-blog", true],
    ["/BLOG/", "https://e.example/my-blog", false],
    ["/", "https://e.example/", true],
    ["/", "https://e.example/a", false],
  ];
  for (const [written, url, expected] of cases)
    assert.equal(compileFilter(written).matches(url), expected, `${written} ${url}`);
});

test("any text is a filter or a bad setting", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("/", "*", "a", "(", ")", "[", "+", "\\", "i") }), (written) => {
      try {
        compileFilter(written).matches("https://e.example/a");
      } catch (error) {
        assert.equal((error as { code?: string }).code, "BAD_CONFIG");
      }
    }),
  );
});

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
