import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { detectTrap } from "./trap.ts";

const SITE = "https://e.example";

test("ordinary addresses pass", () => {
  for (const path of [
    "/",
    "/a/b/c/d/e",
    "/a/a/a",
    "/2024/01/01/01/",
    "/a/b/a/b",
    "/x?a=1&a=1&a=1",
    "/a//b",
    "/?u=/a/a/a/a/a",
  ]) {
    assert.equal(detectTrap(SITE + path), null, path);
  }
});

test("loops are named", () => {
  const cases: [string, string | null][] = [
    ["/a/b/a/c/a/d/a", 'path segment "a" occurs 4 times (limit 3)'],
    ["/a/b/a/b/a/b", 'path run "/a/b" occurs 3 times in a row'],
    ["/start/a/b/c/a/b/c/a/b/c/end.html?x", 'path run "/a/b/c" occurs 3 times in a row'],
    ["/lms/course/view/lms/course/view/lms/course/view", 'path run "/lms/course/view" occurs 3 times in a row'],
    ["/a////b", null],
    ["/a/////b", 'path segment "" occurs 4 times (limit 3)'],
    ["/s?a=1&b=2&a=1&a=1&a=1", 'query pair "a=1" occurs 4 times (limit 3)'],
    ["/a/x/a/y/b/a/b/b", null],
  ];
  for (const [path, rule] of cases) assert.equal(detectTrap(SITE + path), rule, path);
  assert.equal(detectTrap(`${SITE}/a/b/a/b`, 2), 'path run "/a/b" occurs 2 times in a row');
  assert.equal(detectTrap(`${SITE}/a/b/a`, 1), 'path segment "a" occurs 2 times (limit 1)');
});

test("runs equal a search by brute force", () => {
  const segments = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 10 });
  fc.assert(
    fc.property(segments, (parts) => {
      const counts = parts.map((part) => parts.filter((other) => other === part).length);
      let expected = Math.max(0, ...counts) > 3;
      for (let length = 2; length * 3 <= parts.length; length++) {
        for (let start = 0; start + length * 3 <= parts.length; start++) {
          const run = (from: number) => parts.slice(from, from + length).join("/");
          if (run(start) === run(start + length) && run(start) === run(start + 2 * length)) expected = true;
        }
      }
      assert.equal(detectTrap(`${SITE}/${parts.join("/")}`) !== null, expected, parts.join("/"));
    }),
    { numRuns: 3000 },
  );
});

test("a long hostile address takes no longer than its length", () => {
  const path = Array.from({ length: 200_000 }, (_, index) => index).join("/");
  assert.equal(detectTrap(`${SITE}/${path}/${path}`), null);
});
