import assert from "node:assert/strict";
import { test } from "node:test";
import { treemap } from "./treemap.ts";

const box = { x: 0, y: 0, width: 600, height: 400 };

test("tiles fill the box, in proportion to their values, without overlaps", () => {
  const tiles = treemap([6, 6, 4, 3, 2, 2, 1], (value) => value, box);
  assert.deepEqual(
    tiles.map(({ item }) => item),
    [6, 6, 4, 3, 2, 2, 1],
  );
  for (const { item, x, y, width, height } of tiles) {
    assert.ok(Math.abs(width * height - item * 10_000) < 0.01, `area of ${item}`);
    assert.ok(x >= 0 && y >= 0 && x + width <= 600.001 && y + height <= 400.001, `${item} is inside`);
  }
  for (const [at, a] of tiles.entries()) {
    for (const b of tiles.slice(at + 1)) {
      const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
      const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
      assert.ok(across < 0.001 || down < 0.001, "two tiles overlap");
    }
  }
});

test("tiles are nearly square where they can be", () => {
  const tiles = treemap(Array<number>(24).fill(1), (value) => value, box);
  for (const { width, height } of tiles) assert.ok(Math.max(width / height, height / width) < 1.6);
});

test("what has no value has no tile, and no room gives none", () => {
  assert.deepEqual(
    treemap([0, 0], (value) => value, box),
    [],
  );
  assert.deepEqual(
    treemap([5, 0], (value) => value, box).map(({ item }) => item),
    [5],
  );
  assert.deepEqual(
    treemap([1], (value) => value, { ...box, width: 0 }),
    [],
  );
});
