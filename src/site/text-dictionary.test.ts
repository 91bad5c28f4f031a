import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { eachText, TextDictionary } from "./text-dictionary.ts";

/** Fresh texts, by their ids. */
function fresh(texts: TextDictionary): Map<number, string> {
  const all = new Map<number, string>();
  eachText(texts.takeFresh(), (id, text) => {
    assert.equal(all.has(id), false, "an id is stored once");
    all.set(id, text);
  });
  return all;
}

test("text dictionary: a text has one id, the empty text has none, and new texts are handed out once", () => {
  const texts = new TextDictionary(1);
  assert.equal(texts.id(""), 0);
  assert.deepEqual([texts.id("home"), texts.id("shop"), texts.id("home")], [1, 2, 1]);
  assert.deepEqual(
    [...fresh(texts)],
    [
      [1, "home"],
      [2, "shop"],
    ],
  );
  assert.deepEqual([texts.id("shop"), texts.id("blog")], [2, 3]);
  assert.deepEqual([...fresh(texts)], [[3, "blog"]]);
  assert.equal(fresh(texts).size, 0);
});

test("text dictionary: goes on behind the ids of an earlier run", () => {
  const texts = new TextDictionary(1_000);
  assert.equal(texts.id("home"), 1_000);
  assert.deepEqual([...fresh(texts)], [[1_000, "home"]]);
});

test("text dictionary: whatever it forgets, every id keeps meaning the text it was given for", () => {
  // Far more texts than slots, so that many take each other's place.
  const words = fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 300 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 1e9 }), (asked, first) => {
      const texts = new TextDictionary(first);
      const stored = new Map<number, string>();
      const given: [number, string][] = [];
      for (const text of asked) {
        given.push([texts.id(text), text]);
        for (const [id, value] of fresh(texts)) {
          assert.equal(stored.has(id), false, "an id is stored once");
          stored.set(id, value);
        }
      }
      for (const [id, text] of given) assert.equal(id === 0 ? "" : stored.get(id), text);
    }),
  );
});

test("text dictionary: 80,000 texts, each seen twice, keep their ids", () => {
  const texts = new TextDictionary(1);
  const ids: number[] = [];
  for (let round = 0; round < 2; round++) for (let i = 0; i < 80_000; i++) ids.push(texts.id(`text ${i}`));
  const stored = fresh(texts);
  assert.ok(ids.every((id, index) => stored.get(id) === `text ${index % 80_000}`));
});
