import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HtmlSource } from "../../web/html/index.ts";
import { prepareBase } from "../../web/url.ts";
import { parseConfig } from "../site-config.ts";
import { siteCanonicalizer } from "../url-rules.ts";
import { LinkTargets } from "./link-targets.ts";

const canonicalize = siteCanonicalizer(parseConfig({}));
const isInternal = (url: string) => url.startsWith("https://example.com/");
const BASES = [
  "https://example.com/",
  "https://example.com/a/",
  "https://example.com/a/b?q=1",
  "http://other.test/a/b",
];

/** What the table says of an href in a page. */
const found = (targets: LinkTargets, href: string, base: ReturnType<typeof prepareBase>) =>
  targets.at(new HtmlSource(` ${href}`), 1, 1 + Buffer.byteLength(href), base);

test("a link leads where its canonical form says, whatever was asked before, and from any page", () => {
  const piece = fc.constantFrom(
    "a",
    "b/",
    "../../",
    "../",
    "/",
    "//",
    "?",
    "#",
    "x=1",
    "http:",
    "https://example.com/",
    ":",
    "\t",
    "é",
    "%7e",
    "\\",
  );
  const href = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join("").trim());
  fc.assert(
    fc.property(fc.array(fc.tuple(href, fc.constantFrom(...BASES)), { maxLength: 60 }), (asked) => {
      const targets = new LinkTargets({ canonicalize, isInternal });
      const bases = new Map(BASES.map((base) => [base, prepareBase(base)]));
      // Twice: the second time from memory.
      for (const [href, page] of [...asked, ...asked]) {
        const url = canonicalize(href, bases.get(page)!);
        const unparsable =
          typeof url !== "string" && url.rejected === "invalid" && !URL.canParse(href)
            ? { url: href, origin: "", internal: false }
            : null;
        const expected =
          typeof url === "string" ? { url, origin: new URL(url).origin, internal: isInternal(url) } : unparsable;
        assert.deepEqual(found(targets, href, bases.get(page)!), expected, `${href} on ${page}`);
      }
    }),
    { numRuns: 500 },
  );
});

test("links of one folder that lead to the same page share their target", () => {
  const targets = new LinkTargets({ canonicalize, isInternal });
  const first = found(targets, "c.html#x", prepareBase("https://example.com/a/1"));
  assert.equal(found(targets, "c.html#y", prepareBase("https://example.com/a/2")), first);
  assert.notEqual(found(targets, "c.html", prepareBase("https://example.com/b/1"))?.url, first?.url);
});

test("fragments that are routes are distinguished where they are kept", () => {
  const routes = siteCanonicalizer(parseConfig({ render: true, renderHashRoutes: true }));
  const targets = new LinkTargets({ canonicalize: routes, keepsFragments: true, isInternal });
  const urls = ["#/a", "#top", "c#!b", "c#top", "c"].map(
    (href) => found(targets, href, prepareBase("https://example.com/p"))?.url,
  );
  const site = "https://example.com";
  assert.deepEqual(urls, [`${site}/p#/a`, `${site}/p`, `${site}/c#!b`, `${site}/c`, `${site}/c`]);
});

test("pages of one folder in two encodings do not share what differs", () => {
  const targets = new LinkTargets({ canonicalize, isInternal });
  const urls = ["utf-8", "windows-1252", "utf-8"].map(
    (charset) => found(targets, "c?é", prepareBase("https://example.com/", null, charset))?.url,
  );
  const plain = "https://example.com/c?%C3%A9";
  assert.deepEqual(urls, [plain, "https://example.com/c?%E9", plain]);
});

test("more hrefs than it has room for are all still right", () => {
  const targets = new LinkTargets({ canonicalize, isInternal });
  const base = prepareBase("https://example.com/");
  for (let round = 0; round < 2; round++) {
    for (let page = 0; page < 20_000; page++) {
      assert.equal(found(targets, `page-${page}`, base)?.url, `https://example.com/page-${page}`);
    }
  }
});
