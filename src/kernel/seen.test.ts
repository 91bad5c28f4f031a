import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SeenTable } from "./seen.ts";

/** Keys as a crawl meets them: long, and different only in a few characters somewhere. */
function* similarKeys(): Generator<string> {
  for (let i = 0; i < 50_000; i++) yield `https://www.example.com/shop/category/item-${i}.html`;
  for (let i = 0; i < 50_000; i++) yield `https://www.example.com/calendar?year=${i % 500}&month=${i % 12}&page=${i}`;
  for (let i = 0; i < 50_000; i++) yield `https://h${i}.example.com/`;
  for (let i = 0; i < 25_000; i++) yield `https://www.example.com/${"a/".repeat(i % 100)}${i.toString(2)}`;
  for (let i = 0; i < 25_000; i++) yield `https://www.example.com/${String.fromCodePoint(0x4e00 + i)}`;
}

describe("the seen-table", () => {
  it("answers as a Map does", () => {
    const entry = fc.tuple(fc.string({ unit: "grapheme", maxLength: 12 }), fc.integer({ min: 1, max: 0xffffffff }));
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 200 }), fc.array(fc.string({ maxLength: 3 })), (entries, others) => {
        const table = new SeenTable(16);
        const map = new Map<string, number>();
        for (const [key, value] of entries) {
          assert.equal(table.get(key), map.get(key) ?? 0);
          table.set(key, value);
          map.set(key, value);
          assert.equal(table.size, map.size);
        }
        for (const key of [...map.keys(), ...others]) assert.equal(table.get(key), map.get(key) ?? 0);
      }),
    );
  });

  it("tells 200,000 similar keys apart while it grows from its smallest", () => {
    const table = new SeenTable(1);
    const keys = [...similarKeys()];
    assert.equal(new Set(keys).size, keys.length);
    for (const [index, key] of keys.entries()) {
      if (table.get(key) !== 0) assert.fail(`${key} is taken for ${keys[table.get(key) - 1]}`);
      table.set(key, index + 1);
    }
    for (const [index, key] of keys.entries()) if (table.get(key) !== index + 1) assert.fail(`${key} was lost`);
    assert.equal(table.size, keys.length);
  });

  it("costs 16 to 32 bytes a key once it has grown", () => {
    const table = new SeenTable();
    for (let i = 1; i <= 100_000; i++) {
      table.set(`https://example.com/${i}`, i);
      if (i < 10_000) continue;
      if (table.bytes < 16 * i || table.bytes > 32.01 * i) assert.fail(`${table.bytes} bytes for ${i} keys`);
    }
  });

  it("looks up similar keys in few steps", () => {
    // Steps cannot be seen, but clustering costs time: ten times the keys must not cost much more than ten times as long.
    const timeOf = (count: number): number => {
      const table = new SeenTable(count * 2);
      const keys = Array.from({ length: count }, (_, i) => `https://example.com/item/${i}`);
      for (const key of keys) table.set(key, 1);
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 5; round++) {
        const start = performance.now();
        for (const key of keys) table.get(key);
        best = Math.min(best, performance.now() - start);
      }
      return best;
    };
    timeOf(2_000);
    const ratio = timeOf(40_000) / timeOf(4_000);
    assert.ok(ratio < 60, `ten times the keys took ${ratio.toFixed(1)} times as long`);
  });
});
