import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { bareUrl, looksLikeUrl, urlParts, webLink } from "./web-link.ts";

describe("webLink", () => {
  it("links to the web only", () => {
    assert.equal(webLink("https://example.com/a"), "https://example.com/a");
    assert.equal(webLink("http://example.com"), "http://example.com/");
    for (const url of [
      "javascript:alert(1)",
      " JavaScript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "blob:x",
      "/a",
      "",
    ]) {
      assert.equal(webLink(url), null, url);
    }
  });

  it("never returns another scheme, whatever the input", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((text) => `java\tscript:${text}`),
        ),
        (url) => {
          const link = webLink(url);
          assert.ok(link === null || /^https?:\/\//.test(link));
        },
      ),
    );
  });
});

describe("urlParts", () => {
  it("loses nothing", () => {
    assert.deepEqual(urlParts("https://example.com/a?b#c"), { origin: "https://example.com", path: "/a?b#c" });
    assert.deepEqual(urlParts("https://example.com"), { origin: "https://example.com", path: "/" });
    assert.deepEqual(urlParts("mailto:a@b.c"), { origin: "", path: "mailto:a@b.c" });
  });

  it("drops what nobody types", () => {
    assert.equal(bareUrl("https://example.com/"), "example.com");
  });
});

describe("looksLikeUrl", () => {
  it("knows an address from a word", () => {
    for (const url of [
      "example.com",
      "https://example.com/a?b",
      "localhost:8080/x",
      "127.0.0.1:80",
      "bücher.example",
      "пример.рф/a",
    ])
      assert.ok(looksLikeUrl(url), url);
    for (const word of ["settings", "example", "a b.com", "javascript:alert(1)", ""])
      assert.ok(!looksLikeUrl(word), word);
  });
});
