import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkListSize, compileFilter, compileWildcard, prepareFilters } from "./filter.ts";

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

test("2,000 expressions of common length are a list; a few that stand for millions of steps are not", () => {
  const common = Array.from(
    { length: 2_000 },
    (_, index) => `/^https?:\\/\\/(www\\.)?example\\.com\\/\\d{1,8}-${index}$/i`,
  );
  checkListSize(common);
  checkListSize(Array.from({ length: 2_000 }, (_, index) => `https://example.com/${"*x".repeat(500)}${index}`));
  const large = `/${"a{1000}".repeat(9)}/`;
  assert.throws(() => checkListSize(Array<string>(200).fill(large)), { code: "BAD_CONFIG", message: /steps together/ });
});

test("while the filters of a list are compiled, others have their turn", async () => {
  const list = Array.from({ length: 20 }, (_, index) => `/a{1000}b{1000}c{1000}${index}/`);
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await prepareFilters(list);
  isOver = true;
  assert.ok(turns >= 5, `${turns} turns`);
  await assert.rejects(prepareFilters(["/(/"]), { code: "BAD_CONFIG" });
});
