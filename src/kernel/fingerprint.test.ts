import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Fingerprint } from "./fingerprint.ts";
import { similarKeys } from "./testing/similar-keys.ts";

const BUCKETS = 1 << 12;

/** How far the counts lie from an even spread, in standard deviations of what chance would give. */
function unevenness(counts: Uint32Array, keys: number): number {
  const expected = keys / counts.length;
  let chiSquare = 0;
  for (const count of counts) chiSquare += (count - expected) ** 2 / expected;
  const freedom = counts.length - 1;
  return Math.abs(chiSquare - freedom) / Math.sqrt(2 * freedom);
}

describe("the fingerprints of 200,000 similar keys", () => {
  const print = new Fingerprint(7);
  const parts: [name: string, of: () => number][] = [
    ["the low bits of the low half, which choose the slot", () => print.low % BUCKETS],
    ["the high bits of the low half", () => print.low >>> 20],
    ["the low bits of the high half", () => print.high % BUCKETS],
    ["the high bits of the high half", () => print.high >>> 20],
  ];
  for (const [name, of] of parts) {
    it(`spread evenly over ${name}`, () => {
      const counts = new Uint32Array(BUCKETS);
      let keys = 0;
      for (const key of similarKeys()) {
        print.take(key);
        counts[of()]!++;
        keys++;
      }
      const deviations = unevenness(counts, keys);
      assert.ok(deviations < 6, `${deviations.toFixed(1)} standard deviations from even`);
    });
  }

  it("have halves that know nothing of each other", () => {
    // Were one half a function of the other, 64 bits would collide like 32: here about 5 pairs would share a half.
    const highOf = new Map<number, number>();
    let shared = 0;
    for (const key of similarKeys()) {
      print.take(key);
      const high = highOf.get(print.low);
      if (high === undefined) highOf.set(print.low, print.high);
      else {
        shared++;
        assert.notEqual(high, print.high, `${key} has the fingerprint of another key`);
      }
    }
    assert.ok(shared < 20, `${shared} pairs share a half; chance gives 5`);
  });
});

it("the same text has the same fingerprint, whatever was taken before", () => {
  const [one, other] = [new Fingerprint(7), new Fingerprint(7)];
  other.take("something else");
  one.take("https://example.com/");
  other.take("https://example.com/");
  assert.deepEqual([one.high, one.low], [other.high, other.low]);
});
