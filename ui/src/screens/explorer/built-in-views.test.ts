import assert from "node:assert/strict";
import { test } from "node:test";
import { FIELD_NAMES } from "../../../../src/site/facts/fact-fields.ts";
import { parseFilter } from "../../../../src/site/store/filter/filter.ts";
import { BUILT_IN_VIEWS } from "./built-in-views.ts";

test("every field, filter and order is one that the server knows", () => {
  for (const { fields, filter, sort } of BUILT_IN_VIEWS) {
    for (const name of [...fields, ...(sort === null ? [] : [sort.replace(/^-/, "")])]) {
      assert.ok(FIELD_NAMES.includes(name), name);
    }
    for (const text of filter) parseFilter(text);
  }
});
