import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonLine } from "./json-line.ts";

/** Where the control characters and the marks of direction are. */
const character = fc.integer({ min: 0, max: 0x20ff }).map((code) => String.fromCharCode(code));

test("one line, no control characters, the same value when read back", () => {
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      const line = jsonLine({ text });
      assert.doesNotMatch(line.slice(0, -1), /\p{Cc}/u);
      assert.equal((JSON.parse(line) as { text: string }).text, text);
    }),
  );
});
