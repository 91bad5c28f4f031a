import assert from "node:assert/strict";
import { test } from "node:test";
import { schemaStatements, timeTypeFor } from "./replay-tables.ts";

test("the version decides about fractions of a second", () => {
  const types = ["18.16.1", "19.17.4.11", "20.1.2.4", "26.7.2.1"].map(timeTypeFor);
  assert.deepEqual(types, ["DateTime", "DateTime", "DateTime64(6)", "DateTime64(6)"]);
  assert.throws(() => timeTypeFor("unknown"), { code: "CLICKHOUSE_FAILED" });
});

test("an old server gets no types and functions that it lacks", () => {
  assert.doesNotMatch(schemaStatements("DateTime").join("\n"), /64\(6\)/);
  assert.match(schemaStatements("DateTime64(6)").join("\n"), /indexed_at DateTime64\(6\) DEFAULT now64\(6\)/);
});
