import assert from "node:assert/strict";
import { test } from "node:test";
import { edgeWeight, firstPositions, ROUNDS_A_STEP, roundsFor } from "./layout-plan.ts";

test("no two pages start in the same place", () => {
  for (const count of [1, 7, 500]) {
    const places = firstPositions(Array.from({ length: 2_000 }, (_, at) => `/${at % count}`));
    assert.equal(new Set(places.map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`)).size, 2_000);
  }
  assert.deepEqual(firstPositions(["/"]), [{ x: 0, y: 0 }]);
});

test("pages of a section start together, apart from those of others", () => {
  const sections = Array.from({ length: 900 }, (_, at) => ["/a", "/b", "/c"][at % 3]!);
  const places = firstPositions(sections);
  const middle = (name: string) => {
    const own = places.filter((_, at) => sections[at] === name);
    const sum = (pick: (one: { x: number; y: number }) => number) => own.reduce((all, one) => all + pick(one), 0);
    return { x: sum(({ x }) => x) / own.length, y: sum(({ y }) => y) / own.length };
  };
  const [a, b, c] = ["/a", "/b", "/c"].map(middle);
  for (const [at, { x, y }] of places.entries()) {
    const far = (to: { x: number; y: number }) => Math.hypot(x - to.x, y - to.y);
    const own = [a!, b!, c!][at % 3]!;
    assert.ok([a!, b!, c!].every((other) => far(own) <= far(other)));
  }
});

test("every size has whole steps", () => {
  for (const nodes of [2, 250, 251, 1_000, 2_000]) assert.equal(roundsFor(nodes) % ROUNDS_A_STEP, 0);
});

test("more links pull more, by less and less; those to a hub pull little", () => {
  assert.deepEqual(
    [1, 2, 8].map((count) => edgeWeight(count, 1)),
    [1, 2, 4],
  );
  assert.equal(edgeWeight(1, 100), 0.1);
});
