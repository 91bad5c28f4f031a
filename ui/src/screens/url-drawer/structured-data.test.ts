import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonLdIn, problemWords } from "./structured-data.ts";

test("JSON-LD is found however its script is written, and indented if it is JSON", () => {
  const html = `<script type="application/ld+json"> {"@type":"Event"} </script><script>{"no":1}</script>
    <SCRIPT nonce=x type='application/ld+json'>not JSON</SCRIPT>`;
  assert.deepEqual(jsonLdIn(html), ['{\n  "@type": "Event"\n}', "not JSON"]);
  assert.deepEqual(jsonLdIn("<p>x"), []);
});

test("problems in words", () => {
  assert.equal(problemWords("required Product: name"), "Missing, and required by Google: Product: name");
  assert.equal(problemWords("something new"), "something new");
});
