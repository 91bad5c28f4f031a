import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pageLinks } from "./archive-visit.ts";
import { archiveCanonicalizer } from "./policy/canonical.ts";

const canonicalize = archiveCanonicalizer([]);
const linksOf = (html: string) => pageLinks(html, "https://github.com/a/b/", canonicalize);

test("links: anchors and areas, each once, in order, canonical", () => {
  const html = `<a href="/x/y">1</a><A HREF='c/d'>2</A><a href="/x/y/#z">again</a><area href=/e/f><a name=g>
    <a href="#top"><a href="javascript:x()"><a href="mailto:a@b"><link href="/style"><img src="/i"><a href="https://o.example/&amp;">
    <script>"<a href='/no'>"</script><!-- <a href="/no"> -->`;
  assert.deepEqual(linksOf(html), [
    "https://github.com/x/y",
    "https://github.com/a/b/c/d",
    "https://github.com/e/f",
    "https://o.example/&",
  ]);
});

test("links: relative to the page's base, the first of them", () => {
  const html = `<base href="/r/"><base href="/s/"><a href="t">`;
  assert.deepEqual(linksOf(html), ["https://github.com/r/t"]);
});

test("links: never throws, and gives only web addresses", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom("<a href=", '"', "'", ">", "<base href=", "http://[", "//", "\\", "&#x"),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      for (const link of linksOf(pieces.join(""))) assert.match(link, /^https?:\/\//);
    }),
  );
});
