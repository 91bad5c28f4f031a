import assert from "node:assert/strict";
import { test } from "node:test";
import { sqlTableTypes } from "./sql.ts";

test("sql tables: every column that is described is in the schema, with a type", () => {
  const tables = sqlTableTypes();
  assert.ok(tables.some(({ table }) => table === "urls") && tables.some(({ table }) => table === "links"));
  for (const { table, columns } of tables) {
    for (const { name, type, description } of columns) {
      assert.match(type, /^(INTEGER|TEXT|REAL|BLOB)$/, `${table}.${name}`);
      assert.notEqual(description, "");
    }
  }
});

test("sql tables: a count is an integer, a time is not", () => {
  const { columns } = sqlTableTypes().find(({ table }) => table === "all_urls")!;
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  assert.deepEqual(
    ["status", "word_count", "time_total", "title", "fetched_at"].map((name) => types.get(name)),
    ["INTEGER", "INTEGER", "REAL", "TEXT", "TEXT"],
  );
});
