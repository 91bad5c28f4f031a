import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { prepareBase } from "../../web/url.ts";
import { archiveCanonicalizer } from "./canonical.ts";

const base = prepareBase("https://github.com/topics");
const canonicalize = archiveCanonicalizer([]);

describe("the canonical URL of an archive", () => {
  const cases: [written: string, canonical: string][] = [
    ["HTTPS://GitHub.COM/A/B", "https://github.com/A/B"],
    ["/a/b/", "https://github.com/a/b"],
    ["/", "https://github.com/"],
    ["//github.com", "https://github.com/"],
    ["/a//b///c//", "https://github.com/a/b/c"],
    ["/a/b?tab=x&q=1", "https://github.com/a/b"],
    ["/a/b/?x#frag", "https://github.com/a/b"],
    ["/a/./b/../c", "https://github.com/a/c"],
    ["/a/%7euser", "https://github.com/a/~user"],
    ["https://user:secret@github.com/a/b", "https://github.com/a/b"],
    ["https://github.com:443/a", "https://github.com/a"],
  ];
  for (const [written, canonical] of cases) {
    it(`${written} → ${canonical}`, () => assert.equal(canonicalize(written, base), canonical));
  }

  it("listed parameters stay, in one order, and no others", () => {
    const listed = archiveCanonicalizer(["page", "after"]);
    assert.equal(listed("/a/b/issues/?q=x&page=2&after=y", base), "https://github.com/a/b/issues?after=y&page=2");
    assert.equal(listed("/a/b?page2=1&xpage=1", base), "https://github.com/a/b");
  });

  it("URLs that are not pages are rejected", () => {
    for (const href of ["javascript:void(0)", "mailto:a@b", "https://", "data:text/html,x"]) {
      assert.notEqual(typeof canonicalize(href, base), "string", href);
    }
  });

  it("never throws, is its own canonical form, and has neither query, fragment nor double slash", () => {
    const href = fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string(), fc.webPath());
    fc.assert(
      fc.property(href, (written) => {
        const url = canonicalize(written, base);
        if (typeof url !== "string") return;
        assert.equal(canonicalize(url, base), url);
        assert.doesNotMatch(url.slice(8), /[?#]|\/\//);
      }),
    );
  });

  it("with listed parameters it is its own canonical form too", () => {
    const listed = archiveCanonicalizer(["page"]);
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.string(), (start, rest) => {
        const url = listed(`${start}?page=${rest}`, base);
        if (typeof url === "string") assert.equal(listed(url, base), url);
      }),
    );
  });
});
