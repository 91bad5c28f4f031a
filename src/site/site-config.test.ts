import assert from "node:assert/strict";
import { test } from "node:test";
import { TrawlError } from "../errors.ts";
import { MOST_BODY_BYTES, parseConfig, SETTING_GROUPS, SETTINGS, withinCeilings } from "./site-config.ts";

function problemsOf(options: unknown): string[] {
  try {
    parseConfig(options);
  } catch (error) {
    assert.ok(error instanceof TrawlError);
    assert.equal(error.code, "BAD_CONFIG");
    return error.message.split("\n");
  }
  return [];
}

test("config: nothing written means every default", () => {
  const config = parseConfig(undefined);
  assert.deepEqual(parseConfig({}), config);
  for (const { name, defaultValue } of SETTINGS) assert.deepEqual(config[name], defaultValue, name);
  assert.deepEqual(parseConfig(config), config, "a config written out is a config");
  assert.deepEqual(parseConfig(JSON.parse(JSON.stringify(config))), config);
});

test("config: defaults are not shared between two crawls", () => {
  parseConfig({}).exclude.push("*");
  assert.deepEqual(parseConfig({}).exclude, []);
});

test("config: every setting has a group and a description that ends", () => {
  for (const { name, group, description } of SETTINGS) {
    assert.ok(SETTING_GROUPS.includes(group), name);
    assert.match(description, /\.$/, name);
  }
});

test("config: a name nobody knows, with the one that was meant", () => {
  assert.deepEqual(problemsOf({ maxUrl: 3 }), ["maxUrl: there is no such setting; did you mean maxUrls?"]);
  assert.deepEqual(problemsOf({ useragent: "x" }), ["useragent: there is no such setting; did you mean userAgent?"]);
  assert.deepEqual(problemsOf({ foo: 1 }), ["foo: there is no such setting"]);
  assert.deepEqual(problemsOf({ banana: 1 }), ["banana: there is no such setting"]);
});

test("config: all problems at once", () => {
  const problems = problemsOf({
    maxUrls: -1,
    robots: "obey",
    auth: "nobody",
    sitemapUrls: ["ftp://example.com/"],
    paralelism: 3,
    banana: 1,
  });
  const names = problems.map((line) => line.split(":", 1)[0]);
  assert.deepEqual(names.sort(), ["auth", "banana", "maxUrls", "paralelism", "robots", "sitemapUrls.0"]);
  assert.ok(problems.includes("auth: expected user:password"));
});

test("config: anything but an object is refused", () => {
  for (const wrong of [5, "text", [], true]) assert.equal(problemsOf(wrong).length, 1);
});

test("config: a hostile name is only a name", () => {
  const name = "__proto__";
  assert.deepEqual(problemsOf(JSON.parse(`{"${name}": {"robots": "ignore"}, "constructor": 1}`)).length, 2);
});

test("a response may not be made larger than memory allows; what an older version stored is lowered", () => {
  assert.equal(parseConfig({ maxBytes: MOST_BODY_BYTES }).maxBytes, MOST_BODY_BYTES);
  assert.match(problemsOf({ maxBytes: 1e12 }).join(), /maxBytes.*50000000/);
  assert.equal(parseConfig(withinCeilings({ maxBytes: 1e9 })).maxBytes, MOST_BODY_BYTES);
  assert.equal(withinCeilings({ maxBytes: 2_048 }).maxBytes, 2_048);
});
