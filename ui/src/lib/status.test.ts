import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { statusClassOf, statusShares, statusText } from "./status.ts";

describe("statusClassOf", () => {
  it("knows the classes, and that a missing status means no answer", () => {
    assert.equal(statusClassOf(204).name, "2xx");
    assert.equal(statusClassOf(503).name, "5xx");
    assert.equal(statusClassOf(101).name, "other");
    assert.equal(statusClassOf(999).name, "other");
    assert.equal(statusClassOf(null).name, "error");
  });
});

describe("statusShares", () => {
  it("counts every answer once", () => {
    const shares = statusShares(
      [
        { value: 200, count: 7 },
        { value: 204, count: 1 },
        { value: 404, count: 2 },
      ],
      3,
    );
    assert.deepEqual(
      shares.filter(({ value }) => value > 0).map(({ id, value }) => [id, value]),
      [
        ["2xx", 8],
        ["4xx", 2],
        ["error", 3],
      ],
    );
  });

  it("does not count failures twice when they come as status 0", () => {
    const shares = statusShares([{ value: 0, count: 3 }], 3);
    assert.equal(shares.find(({ id }) => id === "error")?.value, 3);
  });
});

it("names the usual statuses", () => {
  assert.equal(statusText(404), "404 Not found");
  assert.equal(statusText(499), "499");
});
