import assert from "node:assert/strict";
import { test } from "node:test";
import { RULE_GROUPS } from "../../../../src/site/audit/rule-table.ts";
import { FIELD_NAMES } from "../../../../src/site/facts/fact-fields.ts";
import { GROUPS_WITH_COLUMNS, groupColumns } from "./group-columns.ts";

test("every group has columns that the server knows, each once", () => {
  const names = RULE_GROUPS.map(({ name }) => name);
  for (const group of GROUPS_WITH_COLUMNS) assert.ok(names.includes(group), group);
  for (const name of [...names, "a group of tomorrow"]) {
    const columns = groupColumns(name);
    assert.deepEqual(columns, [...new Set(columns)]);
    for (const column of columns) assert.ok(FIELD_NAMES.includes(column), `${name}: ${column}`);
  }
});
