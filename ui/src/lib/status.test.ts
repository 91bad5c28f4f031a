import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { statusClassOf } from "./status.ts";

describe("statusClassOf", () => {
  it("knows the classes, and that no status is no answer", () => {
    assert.equal(statusClassOf(204).name, "2xx");
    assert.equal(statusClassOf(503).name, "5xx");
    assert.equal(statusClassOf(101).name, "other");
    assert.equal(statusClassOf(999).name, "other");
    assert.equal(statusClassOf(null).name, "error");
  });
});
