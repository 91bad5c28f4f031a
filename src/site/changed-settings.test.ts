import assert from "node:assert/strict";
import { test } from "node:test";
import { changedSettings } from "./changed-settings.ts";
import { parseConfig } from "./site-config.ts";

test("only what differs from its default counts as changed", () => {
  assert.deepEqual(changedSettings(parseConfig({})), []);
  assert.deepEqual(changedSettings(parseConfig({ maxUrls: 5, exclude: ["*/a"] })), ["exclude", "maxUrls"]);
  assert.deepEqual(changedSettings({}), [], "a crawl of an older version may lack a setting");
});
