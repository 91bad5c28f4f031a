import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { extractPage } from "./extract-page.ts";
import { pageLinkObjects } from "./page-content.ts";
import { cut } from "./trim.ts";

/** The context of a link around the character at `focus` of a line. */
function around(line: string, focus: number, limit: number): string {
  const character = String.fromCodePoint(line.codePointAt(focus)!);
  const after = line.slice(focus + character.length);
  const page = `<p>${line.slice(0, focus)}<a href="/">${character}</a>${after}`;
  return pageLinkObjects(extractPage(page, { linkContext: limit }).links)[0]!.context;
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

test("a line shorter than the limit is the context, without the lines before and after it", () => {
  assert.equal(around("to the shop", 7, 20), "to the shop");
  const page = "<p>first line</p><p>second <a href='/'>line</a></p><p>third";
  assert.equal(pageLinkObjects(extractPage(page).links)[0]!.context, "second line");
});

test("of a longer line whole words around the link are", () => {
  assert.equal(around("one two three four five six seven", 14, 16), "four five");
  assert.equal(around("eins zwei drei vier fünf sechs sieben", 15, 16), "vier fünf");
  assert.equal(around(`${"x".repeat(100)}l${"y".repeat(100)}`, 100, 12), "xxxlyyyyyyyy");
});

test("characters are counted and not bytes, in any script, and no character is cut in two", () => {
  const word = fc.array(fc.constantFrom("a", "b", "é", "日", "😀"), { minLength: 1, maxLength: 12 });
  const line = fc.array(word, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(line, fc.nat(), fc.nat(), fc.integer({ min: 4, max: 40 }), (words, which, place, limit) => {
      const text = words.map((characters) => characters.join("")).join(" ");
      const before = words.slice(0, which % words.length);
      const chosen = words[before.length]!;
      const within = chosen.slice(0, place % chosen.length).join("");
      const focus = before.reduce((sum, characters) => sum + characters.join("").length + 1, 0) + within.length;
      const context = around(text, focus, limit);
      assert.ok(context.length <= limit && text.includes(context) && context.isWellFormed());
      // Where the limit falls inside a surrogate pair, the reference would cut it in two.
      if (text.includes("😀")) return;
      // What only repeats the link's own text is not context.
      const expected = reference(text, focus, limit);
      assert.equal(context, expected === text[focus] ? "" : expected);
    }),
    { numRuns: 2_000 },
  );
});

test("the text of a link is cut after so many characters, as strings are cut", () => {
  const character = fc.constantFrom("a", "é", "日", "😀", "👩‍👧");
  fc.assert(
    fc.property(fc.array(character, { maxLength: 30 }), fc.integer({ min: 1, max: 20 }), (characters, limit) => {
      const text = characters.join("");
      const page = `<a href="/">${text}</a>`;
      assert.equal(pageLinkObjects(extractPage(page, { linkText: limit }).links)[0]!.text, cut(text, limit));
    }),
  );
});
