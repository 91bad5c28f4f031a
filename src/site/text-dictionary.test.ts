import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TextDictionary } from "./text-dictionary.ts";

test("text dictionary: a text has one id, the empty text has none, and fresh texts are handed out once", () => {
  const texts = new TextDictionary(1);
  assert.equal(texts.id(""), 0);
  assert.deepEqual([texts.id("home"), texts.id("shop"), texts.id("home")], [1, 2, 1]);
  assert.deepEqual(texts.takeFresh(), { texts: ["home", "shop"], firstText: 1 });
  assert.deepEqual([texts.id("shop"), texts.id("blog")], [2, 3]);
  assert.deepEqual(texts.takeFresh(), { texts: ["blog"], firstText: 3 });
  assert.deepEqual(texts.takeFresh(), { texts: [], firstText: 4 });
});

test("text dictionary: goes on behind the ids of an earlier run", () => {
  const texts = new TextDictionary(1_000);
  assert.equal(texts.id("home"), 1_000);
  assert.deepEqual(texts.takeFresh(), { texts: ["home"], firstText: 1_000 });
});

test("text dictionary: whatever it forgets, every id it ever gave stands for the text it was given for", () => {
  // Far more texts than slots, so that many take each other's place.
  const words = fc.array(fc.string({ unit: "binary", maxLength: 12 }), { maxLength: 300 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 1e9 }), (asked, first) => {
      const texts = new TextDictionary(first);
      const stored = new Map<number, string>();
      const given: [number, string][] = [];
      for (const text of asked) {
        given.push([texts.id(text), text]);
        const { texts: fresh, firstText } = texts.takeFresh();
        for (const [index, value] of fresh.entries()) {
          assert.equal(stored.has(firstText + index), false, "an id is stored once");
          stored.set(firstText + index, value);
        }
      }
      for (const [id, text] of given) assert.equal(id === 0 ? "" : stored.get(id), text);
    }),
  );
});

test("text dictionary: 80,000 texts, met twice, all keep their meaning", () => {
  const texts = new TextDictionary(1);
  const ids: number[] = [];
  for (let round = 0; round < 2; round++) for (let i = 0; i < 80_000; i++) ids.push(texts.id(`text ${i}`));
  const { texts: stored, firstText } = texts.takeFresh();
  assert.ok(ids.every((id, index) => stored[id - firstText] === `text ${index % 80_000}`));
});
