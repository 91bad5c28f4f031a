import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Fingerprint } from "./fingerprint.ts";
import { Budget, SeenTable } from "./seen.ts";
import { similarKeys } from "./testing/similar-keys.ts";

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

  it("compares all 64 bits: keys that share a slot and half of their fingerprint stay apart", () => {
    /** The key says which fingerprint it has. */
    class ChosenFingerprint extends Fingerprint {
      override take(key: string): void {
        [this.high, this.low] = key.split(" ").map(Number) as [number, number];
      }
    }
    const table = new SeenTable(64, new ChosenFingerprint());
    const keys = ["1 1", "2 1", "1 2", "2 2", `${2 ** 26} 1`];
    for (const [index, key] of keys.entries()) {
      assert.equal(table.get(key), 0, key);
      table.set(key, index + 1);
    }
    assert.deepEqual(
      keys.map((key) => table.get(key)),
      [1, 2, 3, 4, 5],
    );
  });

  it("costs 16 to 32 bytes a key once it has grown", () => {
    const table = new SeenTable();
    for (let i = 1; i <= 100_000; i++) {
      table.set(`https://example.com/${i}`, i);
      if (i < 10_000) continue;
      if (table.bytes < 16 * i || table.bytes > 32.01 * i) assert.fail(`${table.bytes} bytes for ${i} keys`);
    }
  });
});

it("lets each key spend up to the limit", () => {
  const budget = new Budget(2);
  for (const key of ["a", "a", "b"]) {
    assert.equal(budget.has(key), true);
    budget.spend(key);
  }
  assert.equal(budget.has("a"), false);
  assert.equal(budget.has("b"), true);
  budget.spend("a");
  assert.equal(budget.has("a"), false, "what is spent over the limit does not come back");
});

it("has no limit at 0", () => {
  const budget = new Budget(0);
  for (let i = 0; i < 1_000; i++) budget.spend("a");
  assert.equal(budget.has("a"), true);
});
