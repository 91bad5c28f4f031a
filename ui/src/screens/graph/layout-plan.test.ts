import assert from "node:assert/strict";
import { test } from "node:test";
import { edgeWeight, firstPosition, ROUNDS_A_STEP, roundsFor } from "./layout-plan.ts";

test("no two pages start in the same place", () => {
  const places = Array.from({ length: 2_000 }, (_, at) => firstPosition(at));
  const apart = new Set(places.map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`));
  assert.equal(apart.size, 2_000);
  assert.deepEqual(places[0], { x: 0, y: 0 });
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
