import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { someSettings } from "../../app/operations/crawling.ts";
import { readArguments, shownSchema } from "./tool.ts";

const schema = z.strictObject({
  crawl_id: z.int().min(1),
  limit: z.int().max(1_000).default(100),
  search: z.string().max(2_000).nullable().default(null).meta({ description: "Text." }),
  settings: someSettings.optional(),
});

const problems = (given: unknown): string => {
  try {
    readArguments("query_urls", schema, given);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

test("every problem is named at once, with what would be right", () => {
  const said = problems({ crawlid: 3, limit: 5_000, settings: { maxUrl: 3, rate: "fast" } });
  assert.match(said, /^The arguments of query_urls are not valid\.$/m);
  assert.match(said, /^crawl_id: missing$/m);
  assert.match(said, /^crawlid: there is no such argument; did you mean crawl_id\?$/m);
  assert.match(said, /^limit: .*1000/m);
  assert.match(said, /^maxUrl: there is no such setting; did you mean maxUrls\?$/m);
  assert.match(said, /^settings\.rate: /m);
  assert.match(said, /^Arguments: crawl_id \(required\), limit, search, settings\.$/m);
});

test("a name that would be lost on the way is refused", () => {
  const given = JSON.parse('{"crawl_id": 1, "settings": {"headers": {"__proto__": "x"}}}');
  assert.match(problems(given), /^settings\.headers\.__proto__: this name cannot be used$/m);
});

test("settings that are left out stay left out, so that the project's own hold", () => {
  assert.deepEqual(readArguments("start", schema, { crawl_id: 1, settings: { maxUrls: 3 } }).settings, { maxUrls: 3 });
});

test("the schema that agents see has no nulls, schema address or huge bounds", () => {
  const { properties } = shownSchema(schema.omit({ settings: true })) as { properties: Record<string, unknown> };
  assert.deepEqual(properties, {
    crawl_id: { type: "integer", minimum: 1 },
    limit: { default: 100, type: "integer", maximum: 1000 },
    search: { type: "string", description: "Text." },
  });
});
