import assert from "node:assert/strict";
import { it } from "node:test";
import { Provisional } from "./provisional.ts";

const NOFOLLOW = { action: "record", reason: "NOFOLLOW", rule: "rel=nofollow" } as const;
const TOO_DEEP = { action: "skip", reason: "TOO_DEEP", rule: null } as const;

it("remembers whose verdict may still turn, and which it was", () => {
  const provisional = new Provisional();
  const count = 20_000;
  for (let id = 1; id <= count; id++) if (id % 3 > 0) provisional.add(id, id % 3 === 1 ? NOFOLLOW : TOO_DEEP);
  for (let id = 1; id <= count + 100; id++) assert.equal(provisional.has(id), id <= count && id % 3 > 0);
  assert.deepEqual(provisional.take(1), { ...NOFOLLOW, rule: null });
  assert.deepEqual(provisional.take(19_997), TOO_DEEP);
  assert.equal(provisional.has(1), false);
  assert.equal(provisional.has(4), true);
});

it("grows to an id far away", () => {
  const provisional = new Provisional();
  provisional.add(1, NOFOLLOW);
  provisional.add(3_000_000, TOO_DEEP);
  assert.equal(provisional.has(1), true);
  assert.equal(provisional.has(2_999_999), false);
  assert.deepEqual(provisional.take(3_000_000), TOO_DEEP);
});
