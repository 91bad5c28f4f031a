import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createAmpersandEscaper } from "./ampersand.ts";

function escapeBare(pieces: string[]): string {
  const escaper = createAmpersandEscaper();
  return pieces.map((piece) => escaper.write(piece)).join("") + escaper.end();
}

test("bare ampersands are escaped, entities and CDATA are left", () => {
  const cases: [string, string][] = [
    ["plain", "plain"],
    ["a&b", "a&amp;b"],
    ["a&amp;b&#38;&#x26;&nbsp;", "a&amp;b&#38;&#x26;&nbsp;"],
    ["?a=1&b=2&c;&", "?a=1&amp;b=2&c;&amp;"],
    ["&<![CDATA[a&b]]>&", "&amp;<![CDATA[a&b]]>&amp;"],
    ["<![CDATA[open & on", "<![CDATA[open & on"],
  ];
  for (const [text, expected] of cases) assert.equal(escapeBare([text]), expected);
});

test("where the text is cut makes no difference", () => {
  const part = fc.constantFrom("&", "amp;", "a", "#38;", "<![CDATA[", "]]>", "]", "<", "&a", ";", "x".repeat(40));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(60), { maxLength: 6 }), (parts, cuts) => {
      const text = parts.join("");
      const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      assert.equal(escapeBare(pieces), escapeBare([text]));
    }),
    { numRuns: 2000 },
  );
});
