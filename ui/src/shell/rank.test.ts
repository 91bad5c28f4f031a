import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rankAll } from "./rank.ts";

describe("the palette", () => {
  it("prefers beginnings and needs every word", () => {
    const found = (typed: string) => rankAll(["Overview", "Compare over time", "Recover"], (text) => text, typed);
    assert.deepEqual(found("over"), ["Overview", "Compare over time", "Recover"]);
    assert.deepEqual(found("over time"), ["Compare over time"]);
    assert.deepEqual(found(""), ["Overview", "Compare over time", "Recover"]);
  });
});
