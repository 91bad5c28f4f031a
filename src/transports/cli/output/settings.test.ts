import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { parseConfig } from "../../../site/parse-config.ts";
import { changedSettings, settingLine, withoutSecrets } from "./settings.ts";

test("only what differs from its default counts as changed", () => {
  assert.deepEqual(changedSettings(parseConfig({})), []);
  assert.deepEqual(changedSettings(parseConfig({ maxUrls: 5, exclude: ["*/a"] })), ["exclude", "maxUrls"]);
  assert.deepEqual(changedSettings({}), [], "a crawl of an older version may lack a setting");
});

test("a line is YAML", () => {
  assert.equal(settingLine("exclude", ["a", "b"]), 'exclude: ["a", "b"]');
  assert.deepEqual(parse(settingLine("userAgent", 'a: "b" # c')), { userAgent: 'a: "b" # c' });
});

test("passwords are hidden, names stay", () => {
  const config = parseConfig({
    auth: "me:secret",
    headers: { Authorization: "Bearer secret" },
    proxy: "http://me:secret@127.0.0.1:3128",
  });
  const shown = withoutSecrets(config);
  assert.doesNotMatch(JSON.stringify(shown), /secret/);
  assert.deepEqual(Object.keys(shown.headers!), ["Authorization"]);
  assert.equal(shown.proxy, "http://…@127.0.0.1:3128");
  assert.deepEqual(withoutSecrets(parseConfig({})), parseConfig({}));
});
