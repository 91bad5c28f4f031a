import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createQueryCleaner } from "./query.ts";
import type { CanonicalOptions } from "./url.ts";
import { createCanonicalizer, definition, hostOf, originOf, pathAndQueryOf, pathOf, prepareBase } from "./url.ts";
import { createFastPath } from "./url-fast.ts";

const defaults: CanonicalOptions = {
  stripParams: ["utm_*", "gclid"],
  sortQuery: false,
  stripAllQuery: false,
  keepFragments: false,
  maxLength: 200,
};
const base = prepareBase("https://example.com/docs/guide/page.html?x=1#top");

function canonical(href: string, options: Partial<CanonicalOptions> = {}): string {
  const result = createCanonicalizer({ ...defaults, ...options })(href, base);
  return typeof result === "string" ? result : `rejected: ${result.rejected}`;
}

test("hrefs are resolved as a browser resolves them", () => {
  const cases: [string, string][] = [
    ["", "https://example.com/docs/guide/page.html?x=1"],
    ["#part", "https://example.com/docs/guide/page.html?x=1"],
    ["?y=2", "https://example.com/docs/guide/page.html?y=2"],
    ["?", "https://example.com/docs/guide/page.html"],
    ["other.html", "https://example.com/docs/guide/other.html"],
    ["./other.html#x", "https://example.com/docs/guide/other.html"],
    ["../up.html", "https://example.com/docs/up.html"],
    ["../../../../far", "https://example.com/far"],
    ["../", "https://example.com/docs/"],
    ["..", "https://example.com/docs/"],
    ["a/./b/../c", "https://example.com/docs/guide/a/c"],
    ["/root", "https://example.com/root"],
    ["//cdn.example.org/x", "https://cdn.example.org/x"],
    ["https://example.com", "https://example.com/"],
    ["https:relative", "https://example.com/docs/guide/relative"],
    ["http://other.example/a?b", "http://other.example/a?b"],
    [" \t/trimmed\n ", "https://example.com/trimmed"],
    ["/new\nline", "https://example.com/newline"],
    ["\\back\\slash", "https://example.com/back/slash"],
    ["a b", "https://example.com/docs/guide/a%20b"],
  ];
  for (const [href, expected] of cases) assert.equal(canonical(href), expected, JSON.stringify(href));
});

test("equal addresses get one spelling", () => {
  const cases: [string, string][] = [
    ["HTTPS://EXAMPLE.com:443/A", "https://example.com/A"],
    ["http://example.com:80/", "http://example.com/"],
    ["http://example.com:8080/", "http://example.com:8080/"],
    ["https://user:secret@example.com/", "https://example.com/"],
    ["https://bücher.example/ß", "https://xn--bcher-kva.example/%C3%9F"],
    ["/%7euser/%c3%a9%2fx", "https://example.com/~user/%C3%A9%2Fx"],
    ["/a?q=%7e'%2b", "https://example.com/a?q=~%27%2B"],
    ["/a/%2e%2e/b", "https://example.com/b"],
    ["/a?", "https://example.com/a"],
    ["/a?utm_source=x&id=1&gclid=2#f", "https://example.com/a?id=1"],
    ["/a?utm_source=x", "https://example.com/a"],
    ["http://0x7f.1/", "http://127.0.0.1/"],
  ];
  for (const [href, expected] of cases) assert.equal(canonical(href), expected, href);
});

test("what is not a web address is rejected with its reason", () => {
  for (const href of [
    "mailto:a@b.c",
    "javascript:void(0)",
    "tel:1",
    "data:,x",
    " java\nscript:x",
    "ftp://[",
    "a.b:80",
  ]) {
    assert.equal(canonical(href), "rejected: scheme", href);
  }
  for (const href of ["http://", "https://[", "http://a b/", "//exa%mple/"]) {
    assert.equal(canonical(href), "rejected: invalid", href);
  }
  assert.equal(canonical(`/${"a".repeat(200)}`), "rejected: too_long");
  assert.equal(canonical(`${"a/../".repeat(100)}b`), "https://example.com/docs/guide/b");
  assert.equal(canonical("a/../".repeat(1000)), "rejected: too_long");
});

test("options: sorted query, no query, fragments", () => {
  assert.equal(canonical("/a?c=3&b=2&b=1", { sortQuery: true }), "https://example.com/a?b=2&b=1&c=3");
  assert.equal(canonical("/a?c=3#x", { stripAllQuery: true }), "https://example.com/a");
  assert.equal(canonical("/a#/route", { keepFragments: true }), "https://example.com/a#/route");
  assert.equal(canonical("/a#", { keepFragments: true }), "https://example.com/a");
  for (const [href, url] of [
    ["/a#/route", "https://example.com/a#/route"],
    ["#!route", "https://example.com/docs/guide/page.html?x=1#!route"],
    ["/a#top", "https://example.com/a"],
    ["/a#", "https://example.com/a"],
  ] as const) {
    assert.equal(canonical(href, { keepFragments: "routes" }), url);
  }
});

test("a base href counts when it is a web address", () => {
  assert.equal(prepareBase("https://example.com/a/b", "/c/d").folder, "https://example.com/c/");
  assert.equal(prepareBase("https://example.com/a/b", "data:,x").folder, "https://example.com/a/");
  assert.equal(prepareBase("https://example.com/a/b", "http://[").folder, "https://example.com/a/");
  assert.throws(() => prepareBase("about:blank"), { code: "BAD_URL" });
});

test("parts of a canonical URL", () => {
  const url = "http://example.com:8080/a/b?c=/d?#e?";
  assert.equal(hostOf(url), "example.com:8080");
  assert.equal(originOf(url), "http://example.com:8080");
  assert.equal(pathOf(url), "/a/b");
  assert.equal(pathAndQueryOf(url), "/a/b?c=/d?");
  assert.equal(hostOf("https://example.com/"), "example.com");
  assert.equal(pathOf("https://example.com/#x?y"), "/");
});

/** A longer search: `PROPERTY_RUNS=600000 node --test src/web/url.test.ts`. */
const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 10_000);
const nastyPieces = fc.constantFrom(
  ...[
    "../",
    "./",
    "..",
    ".",
    "/",
    "//",
    "///",
    "?",
    "#",
    "%",
    "%41",
    "%2e",
    "%2F",
    "\\",
    "\t",
    "\n",
    " ",
    "a",
    "Bc",
    "x.html",
  ],
  ...[
    "mailto:",
    "javascript:",
    "http:",
    "https:",
    "http://",
    "https://",
    "HTTP://",
    "h",
    ":",
    "@",
    ":80",
    ":443",
    ":8080",
  ],
  ...[
    "example.com",
    "EXAMPLE.com",
    "https://example.com",
    "https://example.com:8080",
    "xn--",
    "bücher",
    "é",
    "日本",
    "🎣",
    "\ud800",
  ],
  ...[
    "=",
    "&",
    "utm_source=x",
    "gclid=1",
    "a=1",
    "'",
    '"',
    "<",
    "|",
    "^",
    "[",
    "]",
    "{",
    ";",
    ",",
    "~",
    "-",
    "_",
    "1",
    "0x7f",
    "127.1",
  ],
  ...[".com/", "a.b/", "a..b/", "-a.b/", "a-.b-/", "1.2/", "a.1b/", "\0", "\u00ad"],
);
/** Just inside and just outside of what the fast path takes. */
const mildPieces = fc.constantFrom(
  ...[
    "../",
    "./",
    ".",
    "..",
    "/",
    "/",
    "?",
    "#",
    "a",
    "b",
    "Bc",
    "x.html",
    "=",
    "&",
    "utm_source=x",
    "gclid",
    "1",
    "-",
    "'",
    ":",
  ],
  ...["http://", "https://", "https://example.com", "http://other.example/", "a.b", "xn--a", "é", "%41"],
);
const nastyHref = fc.oneof(
  fc.array(mildPieces, { maxLength: 7 }).map((pieces) => pieces.join("")),
  fc.array(mildPieces, { maxLength: 5 }).map((pieces) => `https://a.example/${pieces.join("")}`),
  fc.array(nastyPieces, { maxLength: 8 }).map((pieces) => pieces.join("")),
  fc.array(nastyPieces, { maxLength: 6 }).map((pieces) => `https://${pieces.join("")}`),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const bases = [
  ...[
    "https://example.com/",
    "https://example.com:8080/a//b/c?d=1",
    "http://example.com/%41b/%7e/x",
    "http://127.0.0.1:81/a/b",
  ],
  ...["https://user:pw@example.com/a;b/'c'/d#e", "http://[::1]/x/y/", "https://bücher.example/é/"],
].map((url) => prepareBase(url));
const anyOptions = fc.record({
  stripParams: fc.constantFrom([], ["utm_*", "gclid"]),
  sortQuery: fc.boolean(),
  stripAllQuery: fc.boolean(),
  stripSessions: fc.boolean(),
  keepFragments: fc.constantFrom(true, false, "routes" as const),
  maxLength: fc.constantFrom(20, 40, 2000),
});

test("the fast path agrees with the definition", () => {
  let answered = 0;
  fc.assert(
    fc.property(nastyHref, fc.constantFrom(...bases), anyOptions, (href, from, options) => {
      const cleanQuery = createQueryCleaner(options);
      const fast = createFastPath(options, cleanQuery)(href, from);
      if (fast === null) return;
      answered++;
      assert.equal(fast, definition(options, cleanQuery)(href, from));
    }),
    { numRuns: RUNS },
  );
  assert.ok(answered > RUNS / 10, `the fast path answered only ${answered} of ${RUNS}`);
});

test("a canonical form is its own canonical form, whatever the base, and is a URL of the web", () => {
  fc.assert(
    fc.property(nastyHref, fc.constantFrom(...bases), anyOptions, (href, from, options) => {
      const canonicalize = createCanonicalizer(options);
      const once = canonicalize(href, from);
      if (typeof once !== "string") return;
      assert.equal(canonicalize(once, bases[0]!), once);
      const parsed = new URL(once);
      assert.equal(hostOf(once), parsed.host);
      assert.equal(originOf(once), parsed.origin);
      assert.equal(pathOf(once), parsed.pathname);
      assert.equal(pathAndQueryOf(once), parsed.pathname + parsed.search);
    }),
    { numRuns: 5_000 },
  );
});
