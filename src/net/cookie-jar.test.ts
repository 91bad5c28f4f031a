import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CookieJar } from "./cookie-jar.ts";

const SITE = "https://www.example.com/";
const jarOf = () => new CookieJar(() => true);
const store = (jar: CookieJar, url: string, ...values: string[]) => jar.store(new URL(url), values);
const header = (jar: CookieJar, url: string) => jar.header(new URL(url));

test("a cookie goes back to its host, by path, until it expires", () => {
  const jar = jarOf();
  store(jar, `${SITE}a/b`, "id=1; Path=/a; HttpOnly", "other=2", "gone=3; Max-Age=0");
  assert.equal(header(jar, `${SITE}a/b`), "id=1; other=2");
  assert.equal(header(jar, `${SITE}ab`), null);
  store(jar, SITE, "id=; Path=/a; Expires=Thu, 01 Jan 1970 00:00:00 GMT");
  assert.equal(header(jar, `${SITE}a/b`), "other=2");
});

test("Max-Age counts from when the cookie was set, not from its last use", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const jar = jarOf();
  store(jar, SITE, "id=1; Max-Age=60");
  t.mock.timers.tick(40_000);
  assert.equal(header(jar, SITE), "id=1");
  t.mock.timers.tick(40_000);
  assert.equal(header(jar, SITE), null);
  assert.deepEqual(jar.takeChanged(), [["www.example.com", []]]);
});

test("without Domain a cookie is its host's alone; with it, it goes to the subdomains too", () => {
  const jar = jarOf();
  store(jar, SITE, "own=1; Path=/", "all=2; Domain=.example.com; Path=/");
  assert.equal(header(jar, SITE), "own=1; all=2");
  assert.equal(header(jar, "https://example.com/"), "all=2");
  assert.equal(header(jar, "https://a.b.example.com/"), "all=2");
  assert.equal(header(jar, "https://x.www.example.com/"), "all=2");
  for (const other of ["https://notexample.com/", "https://example.com.evil.net/", "https://example.org/"]) {
    assert.equal(header(jar, other), null, other);
  }
});

test("public suffixes, private ones among them, and strangers' domains are refused", () => {
  const jar = jarOf();
  store(jar, "https://shop.example.co.uk/", "a=1; Domain=co.uk", "b=2; Domain=uk", "c=3; Domain=bank.test");
  store(jar, "https://shop.example.co.uk/", "d=4; Domain=example.co.uk");
  assert.equal(header(jar, "https://shop.example.co.uk/"), "d=4");
  store(jar, "https://alice.github.io/", "e=5; Domain=github.io", "f=6; Domain=alice.github.io");
  assert.equal(header(jar, "https://alice.github.io/"), "f=6");
  assert.equal(header(jar, "https://x.alice.github.io/"), "f=6");
  assert.equal(header(jar, "https://bob.github.io/"), null);
  store(jar, "http://app.localhost/", "g=7; Domain=localhost");
  assert.equal(header(jar, "http://other.localhost/"), null);
});

test("a public suffix, an address or a bare name that names itself gets the cookie for itself alone", () => {
  for (const host of ["github.io", "127.0.0.1", "localhost", "intranet"]) {
    const jar = jarOf();
    store(jar, `http://${host}/`, `a=1; Domain=${host}`);
    assert.equal(header(jar, `http://${host}/`), "a=1", host);
    if (host !== "127.0.0.1") assert.equal(header(jar, `http://sub.${host}/`), null, host);
  }
});

test("Secure cookies are neither sent nor set over plain http; prefixes are enforced", () => {
  const jar = jarOf();
  store(jar, SITE, "safe=1; Secure", "plain=2", "__Host-a=3; Secure; Path=/", "__Host-b=4; Path=/", "__Secure-c=5");
  store(jar, "http://www.example.com/", "late=6; Secure");
  assert.equal(header(jar, SITE), "safe=1; plain=2; __Host-a=3");
  assert.equal(header(jar, "http://www.example.com/"), "plain=2");
});

test("hosts that are not accepted set nothing and get nothing", () => {
  const jar = new CookieJar((url) => new URL(url).hostname !== "ads.example.com");
  store(jar, "https://ads.example.com/", "a=1; Domain=example.com", "b=2");
  store(jar, SITE, "c=3; Domain=example.com");
  assert.equal(header(jar, "https://ads.example.com/"), null);
  assert.equal(header(jar, SITE), "c=3");
});

test("what is stored comes back: domains, paths, flags and expiry", () => {
  const jar = jarOf();
  store(jar, SITE, "own=1; Path=/a; Secure", "all=2; Domain=example.com; Max-Age=3600", "gone=3; Max-Age=0");
  const changed = jar.takeChanged();
  const names = changed.map(([domain, cookies]) => [domain, ...cookies.map(({ name }) => name)]);
  assert.deepEqual(names.sort(), [
    ["example.com", "all"],
    ["www.example.com", "own"],
  ]);
  const again = jarOf();
  for (const [, cookies] of changed) again.restore(JSON.parse(JSON.stringify(cookies)));
  for (const url of [SITE, `${SITE}a`, "https://example.com/", "http://www.example.com/a"]) {
    assert.equal(header(again, url), header(jar, url), url);
  }
  assert.deepEqual([jar.takeChanged(), again.takeChanged()], [[], []]);
  store(jar, SITE, "all=; Domain=example.com; Max-Age=0");
  assert.deepEqual(jar.takeChanged(), [["example.com", []]]);
});

test("a flood of cookies grows neither the requests nor the jar", () => {
  const jar = jarOf();
  for (let round = 0; round < 20; round++) {
    store(jar, SITE, ...Array.from({ length: 40 }, (_, index) => `c${round}-${index}=x; Path=/`));
  }
  store(jar, SITE, `big=${"x".repeat(5_000)}`);
  assert.ok((header(jar, SITE)?.split("; ").length ?? 0) <= 50);
  const kept = new Map<string, number>();
  const note = () => {
    for (const [domain, cookies] of jar.takeChanged()) kept.set(domain, JSON.stringify(cookies).length);
  };
  const filled = () => [...kept.values()].filter((length) => length > 2);
  for (let host = 0; host < 3_000; host++) {
    store(jar, `https://h${host}.example.com/`, "a=1");
    note();
  }
  assert.ok(filled().length <= 1_000);
  const large = Array.from({ length: 25 }, (_, index) => `c${index}=${"x".repeat(4_000)}`);
  for (let host = 0; host < 100; host++) {
    store(jar, `https://large${host}.example.com/`, ...large);
    note();
    assert.ok(
      filled().reduce((sum, length) => sum + length, 0) < 2_500_000,
      "what was forgotten is forgotten in the notes",
    );
  }
  // Only what a page has set is written again.
  store(jar, SITE, "one=1");
  assert.deepEqual(
    jar.takeChanged().map(([domain]) => domain),
    ["www.example.com"],
  );
});

test("a Domain that cannot be the name of a host drops the cookie, and nothing else", () => {
  const jar = jarOf();
  store(jar, SITE, "a=1; Domain=\u00e9 \u00e9");
  store(jar, SITE, "b=2; Domain=\0\0");
  store(jar, SITE, "c=3");
  assert.equal(header(jar, SITE), "c=3");
});

test("no Set-Cookie value throws", () => {
  const jar = jarOf();
  const value = fc.oneof(
    fc.string(),
    fc.string().map((text) => `a=b; ${text}`),
    fc.string().map((text) => `a=b; Domain=${text}`),
    fc.string({ unit: "binary" }).map((text) => `a=b; Domain=${text}`),
  );
  fc.assert(
    fc.property(value, (each) => {
      store(jar, SITE, each);
      store(jar, "http://[::1]/", each);
      header(jar, SITE);
      header(jar, "http://[::1]/");
      jar.takeChanged();
    }),
  );
});
