import assert from "node:assert/strict";
import { test } from "node:test";
import { isSessionPair, withoutSessionId } from "./session-ids.ts";

test("session ids in a path are removed, other parameters and brackets are not", () => {
  const cases: [string, string][] = [
    ["/cart;jsessionid=1A2B3C", "/cart"],
    ["/cart;JSESSIONID=1A2B3C!-12;v=2/x", "/cart;v=2/x"],
    ["/a;b=1/c", "/a;b=1/c"],
    ["/(S(lit3py55t21z5v55vlm25s55))/default.aspx", "/default.aspx"],
    ["/wiki/Lisp_(programming)/x", "/wiki/Lisp_(programming)/x"],
    ["/(a)/b", "/(a)/b"],
  ];
  for (const [path, expected] of cases) {
    assert.equal(withoutSessionId(path), expected);
    assert.equal(withoutSessionId(expected), expected);
  }
});

test("a short name is a session id only with a value that no person writes", () => {
  for (const pair of ["sid=0123456789abcdef0123456789abcdef", "s=9f86d081884c7d659a2feaa0c55ad015"]) {
    assert.ok(isSessionPair(pair), pair);
  }
  for (const pair of [
    "sid=42",
    "sid=the-story-of-a-very-long-headline",
    "s=search",
    "story=0123456789abcdef0123456789",
  ]) {
    assert.ok(!isSessionPair(pair), pair);
  }
});
