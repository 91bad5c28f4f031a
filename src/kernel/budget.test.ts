import assert from "node:assert/strict";
import { it } from "node:test";
import { Budget } from "./budget.ts";

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
