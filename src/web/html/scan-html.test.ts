import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scanHtml } from "./scan-html.ts";
import { htmlPage, svgPage } from "./testing/documents.ts";
import { parse5Tokens, scannedTokens } from "./testing/tokens.ts";

/** Pages that broke this or another tokenizer once. Each is compared with parse5. */
const PAGES: Record<string, string> = {
  "empty page": "",
  "a lone less-than sign": "<",
  "less-than before no letter": "a < b <3 <\0",
  "unfinished end tag": "a</",
  "unfinished name": "a<div",
  "tag that never ends": "a<div class='x",
  "nothing closed": "a</>b",
  "first duplicate wins": "<a href=1 HREF=2 href='3'>",
  "solidus in unquoted value": "<a href=/x/>",
  "solidus between attributes": "<a/href/rel=x / >",
  "attribute named equals": "<a =x ==y>",
  "quotes in names": `<a "x" '=y>`,
  "no space after quoted value": `<a href="x"rel='y'z>`,
  "empty unquoted value": "<a href=>x",
  "newlines in values": "<a title='a\r\nb\rc'>\r\n\r",
  "reference before equals in a value": "<a href='?a=1&copy=2&amp;b&lt=3&lt'>&copy=2&lt=",
  "comment forms": "<!--><!---><!----><!--x--!><!--a--b-->c<!--->-->d<!-- <!-- --> -->e<!----!-->f<!---!>g-->h",
  "long run of dashes": `<!--${"-".repeat(50)}!>a<!--${"-".repeat(51)}>b`,
  "comment that never ends": "a<!-- <p>",
  "bogus comments": "<?php echo '>' ?><!x y><!>a</ b><!DOCTYPE html SYSTEM 'a>b'>",
  "cdata outside svg": "<p><![CDATA[a>b]]>",
  "title holds no tags": "<title>a<b>&amp;</titl></title x='>'>b",
  "style holds no references": "<style>a&amp;</style >",
  "script in a comment in a script": "<script><!--<script></script>--></script>a<script><!--</script>b",
  "script escapes": "<script><!--><script></script>a<script><!--<script ></script/</script>-->x</script>y",
  "script that never ends": "<script>a</scrip>",
  "noscript is markup": "<noscript><img src=x></noscript><body><noscript><a href=y></noscript>",
  "plaintext never ends": "<plaintext>a</plaintext><b>",
  "svg title is markup": "<body><svg><title><b>x</title></svg><title><b></title>",
  "svg that nobody closes": "<div><svg><g></div><section><title><b></title>",
  "svg left by a paragraph": "<svg><p><style><b></style>",
  "cdata in svg": "<svg><![CDATA[a<b>&amp;]]></svg><svg><![CDATA[x",
  "kelvin sign is not k": "<lin\u212A href=x>",
};

for (const [name, html] of Object.entries(PAGES)) {
  test(`tokenizes as parse5: ${name}`, () => assert.deepEqual(scannedTokens(html), parse5Tokens(html)));
}

test("tokenizes generated pages as parse5", () => {
  fc.assert(
    fc.property(htmlPage, (html) => assert.deepEqual(scannedTokens(html), parse5Tokens(html))),
    { numRuns: 3_000 },
  );
});

test("tokenizes generated pages with SVG as parse5", () => {
  fc.assert(
    fc.property(svgPage, (html) => assert.deepEqual(scannedTokens(html), parse5Tokens(html))),
    { numRuns: 1_000 },
  );
});

test("never throws, whatever the characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (html) => {
      scannedTokens(html);
    }),
  );
});

test("drops values longer than the limit", () => {
  assert.deepEqual(scannedTokens("<a x=123456 y=12345>", { attributeLength: 5 }), ['<a x=null y="12345">']);
});

test("a visitor may scan another page", () => {
  const seen: string[] = [];
  scanHtml("<a href=outer>b</a>", {
    open(_tag, attributes) {
      seen.push(...scannedTokens("<i x=inner-and-longer-than-the-outer-page>"));
      seen.push(attributes.get("href") ?? "");
    },
    close: (tag) => seen.push(tag.name),
    text: (source, start, end) => seen.push(source.text(start, end)),
  });
  assert.deepEqual(seen, ['<i x="inner-and-longer-than-the-outer-page">', "outer", "b", "a"]);
});
