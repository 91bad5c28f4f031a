import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fenceFor, foreign, foreignLines } from "./model-text.ts";

test("what people cannot see is taken out: controls, turned text, Unicode tags, zero-width marks", () => {
  const tags = [..."ignore"].map((letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join("");
  assert.equal(foreign(`Ti${tags}t\u200ble\u202e \u001b]0;x\u0007`), "Title ]0;x");
  assert.equal(foreign("👩‍👩‍👧 naïve می‌خواهم"), "👩‍👩‍👧 naïve می‌خواهم");
  assert.equal(foreignLines("a\r\nb\rc\n\u0000d"), "a\nb\nc\nd");
});

test("no page can close the fence around it", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("</page-data>", "</PAGE-DATA-2>", "page-data-3", "x\n")), (parts) => {
      const text = parts.join("");
      const { close, open } = fenceFor(text);
      assert.ok(!text.toLowerCase().includes(close) && !text.toLowerCase().includes(open));
    }),
  );
  assert.equal(fenceFor("harmless").open, "<page-data>");
});
