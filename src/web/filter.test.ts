import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileFilter } from "./filter.ts";

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
