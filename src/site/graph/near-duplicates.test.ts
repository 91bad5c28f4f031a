import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it, type TestContext } from "node:test";
import { textSketch } from "../page/text-sketch.ts";
import { siteDatabase } from "../testing/site-database.ts";
import { readLikeness } from "./near-duplicates.ts";

const word = (n: number): string => `word${n}`;
const text = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => word(from + at)).join(" ");
const sketch = (content: string): string | null => {
  const bytes = Buffer.from(content);
  return textSketch(bytes, [0, bytes.length]);
};

function likenessOf(t: TestContext, texts: string[]) {
  const pages = texts.map((content, at) => ({
    url: `https://a.test/${at}`,
    page: { status: 200, title_count: 1, indexable: "Yes", text_sketch: sketch(content) } as const,
  }));
  const db = new DatabaseSync(siteDatabase(t, pages));
  t.after(() => db.close());
  return readLikeness(db);
}

describe("near duplicates", () => {
  it("the closest page, and how much of their triples two pages share", (t) => {
    const original = text(0, 1_000);
    // 960 of 1,036 triples are in both.
    const changed = `${text(0, 962)} ${text(5_000, 38)}`;
    const { closest, similarity } = likenessOf(t, [original, text(20_000, 1_000), changed]);
    assert.deepEqual([...closest], [3, 0, 1]);
    assert.ok(Math.abs(similarity[0]! - 93) <= 6, String(similarity[0]));
    assert.equal(similarity[1], 0);
  });

  it("the same words are 100 % alike, whatever their case and punctuation", (t) => {
    const { similarity } = likenessOf(t, [text(0, 300), text(0, 300).toUpperCase().replaceAll(" ", ", ")]);
    assert.deepEqual([...similarity], [100, 100]);
  });

  it("of a thousand pages alike each has one that is close, without comparing all with all", (t) => {
    const texts = Array.from({ length: 1_000 }, (_, at) => `${text(0, 600)} ${text(10_000 + at * 10, 8)}`);
    const { similarity, boilerplate } = likenessOf(t, texts);
    assert.ok(similarity.every((percent) => percent >= 90));
    assert.ok(boilerplate.every((percent) => percent >= 90));
  });

  it("texts without spaces between words are compared by their characters", () => {
    const chinese = Array.from({ length: 200 }, (_, at) => String.fromCodePoint(0x4e00 + at * 7)).join("");
    assert.notEqual(sketch(chinese), null);
    assert.equal(sketch(chinese), sketch(`${chinese}。`.replace("。", "")));
    assert.notEqual(sketch(chinese), sketch([...chinese].reverse().join("")));
  });

  it("a text of few words has no sketch, and only the given ranges count", () => {
    assert.equal(sketch(text(0, 49)), null);
    const all = Buffer.from(`${text(900, 80)} ${text(0, 100)}`);
    assert.equal(textSketch(all, [all.length - text(0, 100).length, all.length]), sketch(text(0, 100)));
  });
});
