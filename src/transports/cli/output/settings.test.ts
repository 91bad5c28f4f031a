import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { settingLine } from "./settings.ts";

test("a line is YAML", () => {
  assert.equal(settingLine("exclude", ["a", "b"]), 'exclude: ["a", "b"]');
  assert.deepEqual(parse(settingLine("userAgent", 'a: "b" # c')), { userAgent: 'a: "b" # c' });
});
