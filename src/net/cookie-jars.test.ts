import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CookieJars } from "./cookie-jars.ts";

const SITE = "https://www.example.com";

test("a cookie goes back to its origin, by path, until it expires", () => {
  const jars = new CookieJars();
  jars.store(SITE, `${SITE}/a/b`, ["id=1; Path=/a; HttpOnly", "other=2", "gone=3; Max-Age=0"]);
  assert.equal(jars.header(SITE, `${SITE}/a/b`), "id=1; other=2");
  assert.equal(jars.header(SITE, `${SITE}/x`), null);
});

test("a cookie goes to no other origin, whatever domain it names", () => {
  const jars = new CookieJars();
  jars.store(SITE, `${SITE}/`, ["id=1; Domain=example.com; Path=/"]);
  assert.equal(jars.header(SITE, `${SITE}/`), "id=1");
  for (const other of ["https://example.com", "https://evil.example.com", "http://www.example.com", `${SITE}:8443`]) {
    assert.equal(jars.header(other, `${other}/`), null, other);
    jars.store(other, `${other}/`, ["own=2"]);
    assert.equal(jars.header(other, `${other}/`), "own=2", other);
  }
  assert.equal(jars.header(SITE, `${SITE}/`), "id=1");
});

test("public suffixes and strangers' domains are refused", () => {
  const jars = new CookieJars();
  const origin = "https://shop.example.co.uk";
  jars.store(origin, `${origin}/`, [
    "a=1; Domain=co.uk",
    "b=2; Domain=uk",
    "c=3; Domain=bank.test",
    "d=4; Domain=example.co.uk",
  ]);
  assert.equal(jars.header(origin, `${origin}/`), "d=4");
});

test("a flood of cookies does not grow the requests", () => {
  const jars = new CookieJars();
  for (let round = 0; round < 20; round++) {
    jars.store(
      SITE,
      `${SITE}/`,
      Array.from({ length: 40 }, (_, index) => `c${round}-${index}=x; Path=/`),
    );
  }
  jars.store(SITE, `${SITE}/`, [`big=${"x".repeat(5_000)}`]);
  assert.ok((jars.header(SITE, `${SITE}/`)?.split("; ").length ?? 0) <= 50);
});

test("no Set-Cookie value throws", () => {
  const jars = new CookieJars();
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `a=b; ${text}`),
      ),
      (value) => {
        jars.store(SITE, `${SITE}/`, [value]);
        jars.header(SITE, `${SITE}/`);
      },
    ),
  );
});
