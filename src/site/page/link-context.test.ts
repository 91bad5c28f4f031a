import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { contextAround, cutEnd } from "./link-context.ts";
import { cut } from "./trim.ts";

function around(text: string, focus: number, limit: number, start = 0, end = text.length): string {
  const bytes = Buffer.from(text);
  const at = (index: number) => Buffer.byteLength(text.slice(0, index));
  const range = { from: 0, to: 0 };
  contextAround(bytes, at(start), at(end), at(focus), limit, range);
  return bytes.toString("utf8", range.from, range.to);
}

/** The same, said with a text and its characters. */
function reference(text: string, focus: number, limit: number): string {
  let from = 0;
  let to = text.length;
  if (to > limit) {
    from = Math.max(0, Math.min(focus - (limit >> 2), to - limit));
    to = from + limit;
    const before = from > 0 ? text.indexOf(" ", from) : -1;
    if (before >= 0 && before < focus) from = before;
    const after = to < text.length ? text.lastIndexOf(" ", to) : -1;
    if (after > focus) to = after;
  }
  if (from < to && text[from] === " ") from++;
  return text.slice(from, to);
}

test("a line shorter than the limit is the context, without the space before it", () => {
  assert.equal(around(" to the shop", 8, 20), "to the shop");
  assert.equal(around("first line second line", 12, 20, 10, 22), "second line");
});

test("of a longer line whole words around the link are", () => {
  assert.equal(around("one two three four five six seven", 14, 16), "four five");
  assert.equal(around("eins zwei drei vier fünf sechs sieben", 15, 16), "vier fünf");
  assert.equal(around(`${"x".repeat(100)}link${"y".repeat(100)}`, 100, 12), "xxxlinkyyyyy");
});

test("characters are counted and not bytes, in any script, and no character is cut in two", () => {
  const character = fc.constantFrom("a", "b", " ", "é", "日", "😀");
  fc.assert(
    fc.property(fc.array(character, { maxLength: 80 }), fc.nat(), fc.integer({ min: 4, max: 40 }), (all, at, limit) => {
      const text = all.join("");
      const focus = Array.from(text)
        .slice(0, at % (all.length + 1))
        .join("").length;
      const context = around(text, focus, limit);
      assert.ok(context.length <= limit && text.includes(context) && context.isWellFormed());
      // Where the limit falls inside a surrogate pair, the reference would cut it in two.
      if (!text.includes("😀")) assert.equal(context, reference(text, focus, limit));
    }),
    { numRuns: 2_000 },
  );
});

test("a text is cut after so many characters, as strings are cut", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 30 }), fc.integer({ min: 1, max: 20 }), (text, limit) => {
      const bytes = Buffer.from(text);
      assert.equal(bytes.toString("utf8", 0, cutEnd(bytes, 0, bytes.length, limit)), cut(text, limit));
    }),
  );
});
