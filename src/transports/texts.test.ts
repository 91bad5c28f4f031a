import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clean } from "./texts.ts";

/** Where the control characters and the marks of direction are. */
const character = fc.integer({ min: 0, max: 0x20ff }).map((code) => String.fromCharCode(code));

test("escape sequences lose their escape, and line breaks become blanks", () => {
  assert.equal(clean("\u001b[31mred\u001b[0m"), "[31mred[0m");
  assert.equal(clean("a\r\nb\tc"), "a  b c");
  assert.equal(clean("\u009b2Jx\u0007\u007f"), "2Jx");
});

test("marks that turn text around are taken out, other scripts stay", () => {
  assert.equal(clean("abc\u202egnp.exe"), "abcgnp.exe");
  assert.equal(clean("Prüfung 日本語 😀 עברית"), "Prüfung 日本語 😀 עברית");
});

test("whatever comes in, no control character goes out", () => {
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      assert.doesNotMatch(clean(text), /\p{Cc}/u);
    }),
  );
});
