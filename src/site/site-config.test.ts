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

test("config: an unknown name, with the likely intended one", () => {
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

test("every number that could exceed memory or a timer has a ceiling; what an older version stored is lowered to it", () => {
  const most = {
    maxLinksPerPage: 1_000_000,
    maxRepeatedSegments: 1_000,
    timeout: 86_400,
    maxCrawlDelay: 86_400,
    renderSettle: 86_400,
    renderMax: 86_400,
    parallelism: 1_000,
  };
  assert.deepEqual({ ...parseConfig(most), ...most }, parseConfig(most));
  for (const name of Object.keys(most)) assert.equal(problemsOf({ [name]: 9e15 }).length, 1, name);
  const stored = Object.fromEntries(Object.keys(most).map((name) => [name, 9e15]));
  assert.deepEqual(withinCeilings({ ...stored, maxUrls: 9e15 }), { ...most, maxUrls: 9e15 });
});

test("headers that HTTP cannot send are refused before a crawl is made, and so are those that would end a request elsewhere", () => {
  const headers = (given: Record<string, string>) => problemsOf({ headers: given });
  assert.deepEqual(
    headers({ "Accept-Language": "de", "X-A": "caf\xe9\t1", Cookie: "a=b; c=d", Host: "other.test" }),
    [],
  );
  for (const value of ["a\r\nb: c", "a\0", "日本"])
    assert.match(headers({ "x-a": value }).join(), /^headers\.x-a: HTTP can/);
  for (const name of ["", "a b", "a\r\nb", "a:"])
    assert.match(headers({ [name]: "x" }).join("\n"), /not the name of a header/);
  for (const name of ["Content-Length", "transfer-encoding", "Upgrade", "Expect"]) {
    assert.deepEqual(headers({ [name]: "5" }), [`headers.${name}: this header cannot be changed`]);
  }
  assert.equal(headers({ a: "x".repeat(20_000) }).length, 1);
  assert.equal(headers(Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`x-${at}`, "1"]))).length, 1);
  assert.match(problemsOf({ userAgent: "a\nb" }).join(), /^userAgent: HTTP can/);
});
