/** Circles in series of pages: which pages belong to one, and how many it has. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { loopsIn } from "./series-links.ts";

const loops = (...next: number[]): number[][] => [...loopsIn(Int32Array.from([0, ...next]))];

it("finds circles of one and of several pages, and not what only leads there", () => {
  assert.deepEqual(loops(2, 3, 0), []);
  assert.deepEqual(loops(1), [[1]]);
  assert.deepEqual(loops(2, 3, 2), [[2, 3]]);
  assert.deepEqual(loops(2, 1, 2, 5, 4), [
    [1, 2],
    [4, 5],
  ]);
});

it("finds the pages from which a walk comes back, however long it takes", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(12), { maxLength: 12 }), (given) => {
      const next = [0, ...given.map((id) => (id > given.length ? 0 : id))];
      const comesBack = (start: number): number => {
        let at = next[start]!;
        for (let steps = 1; steps <= next.length && at !== 0; steps++, at = next[at]!) if (at === start) return steps;
        return 0;
      };
      const wanted = next.flatMap((_, id) => (id > 0 && comesBack(id) > 0 ? [[id, comesBack(id)]] : []));
      const found = [...loopsIn(Int32Array.from(next))].flatMap((loop) => loop.map((id) => [id, loop.length]));
      assert.deepEqual(
        found.sort((a, b) => a[0]! - b[0]!),
        wanted,
      );
    }),
  );
});
