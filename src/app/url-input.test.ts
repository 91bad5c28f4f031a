import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TrawlError } from "../errors.ts";
import { normalizeUrl, projectName } from "./url-input.ts";

const CASES: [typed: string, url: string][] = [
  ["example.com", "https://example.com/"],
  ["  example.com/a b ", "https://example.com/a%20b"],
  ["EXAMPLE.com:8080/x?q=1#frag", "https://example.com:8080/x?q=1"],
  ["http://example.com", "http://example.com/"],
  ["HTTP://Example.com:80/", "http://example.com/"],
  ["http:/example.com", "http://example.com/"],
  ["https:example.com/a", "https://example.com/a"],
  ["//example.com/a", "https://example.com/a"],
  ["https://user:secret@example.com/", "https://example.com/"],
  ["localhost", "http://localhost/"],
  ["LOCALHOST:3000", "http://localhost:3000/"],
  ["127.0.0.1:8080/a", "http://127.0.0.1:8080/a"],
  ["[::1]:8080", "http://[::1]:8080/"],
  ["[::1]", "http://[::1]/"],
  ["münchen.de", "https://xn--mnchen-3ya.de/"],
  ["example.com/?mail=a@b.test", "https://example.com/?mail=a@b.test"],
];

for (const [typed, url] of CASES) {
  test(`normalizeUrl: ${typed}`, () => assert.equal(normalizeUrl(typed), url));
}

const REFUSED = [
  ...["", "   ", "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "http://"],
  ...["someone@example.com", "mailto:someone@example.com", "https://exa mple.com/", "http://[::1", "a:b:c"],
  ...["/", "/private", "/private/page?x=//y"],
];

for (const typed of REFUSED) {
  test(`normalizeUrl: "${typed}" is refused`, () => {
    assert.throws(() => normalizeUrl(typed), { name: "TrawlError", code: "BAD_URL" });
  });
}

test("normalizeUrl: whatever is typed gives a clean web URL that stays as it is, or BAD_URL", () => {
  const typed = fc.oneof(fc.string(), fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.domain());
  fc.assert(
    fc.property(typed, (text) => {
      let url: string;
      try {
        url = normalizeUrl(text);
      } catch (error) {
        assert.ok(error instanceof TrawlError && error.code === "BAD_URL", String(error));
        return;
      }
      assert.match(url, /^https?:\/\/[^@#]+/);
      assert.ok(!url.includes("#"));
      assert.equal(normalizeUrl(url), url);
    }),
    { numRuns: 50 },
  );
});

test("a project is a host with its port, or the domain where the scope includes subdomains", () => {
  const names = {
    "https://alice.github.io/blog": ["alice.github.io", "alice.github.io"],
    "https://www.alice.github.io/": ["www.alice.github.io", "alice.github.io"],
    "https://github.io/": ["github.io", "github.io"],
    "http://dev.test:8080/": ["dev.test:8080", "dev.test:8080"],
    "https://Example.com:443/": ["example.com", "example.com"],
    "http://www.example.com:80/": ["www.example.com", "example.com"],
    "https://docs.example.co.uk:8443/": ["docs.example.co.uk:8443", "example.co.uk:8443"],
    localhost: ["localhost", "localhost"],
    "[::1]:3000": ["[::1]:3000", "[::1]:3000"],
  };
  for (const [url, expected] of Object.entries(names)) {
    const found = [false, true].map((includeSubdomains) => projectName(url, { includeSubdomains }));
    assert.deepEqual(found, expected, url);
  }
});
