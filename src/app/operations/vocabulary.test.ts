/** docs/vocabulary.md, checked against the schema of every answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import * as areas from "./index.ts";
import type { Operation } from "./operation.ts";

interface Schema {
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  deprecated?: boolean;
  $ref?: string;
  $defs?: Record<string, Schema>;
}

const isOperation = (value: unknown): value is Operation =>
  typeof value === "object" && value !== null && "run" in value && "output" in value;
const OPERATIONS = Object.values(areas).flatMap((area) => Object.values(area).filter(isOperation));

/** The two answers that keep the words of the API that this one continues, and SQL, whose rows have their own columns. */
const OWN_SHAPE: readonly string[] = ["getCrawl", "getPageLinks", "querySql"];

/** Without "or null". */
const forms = (schema: Schema): Schema[] =>
  (schema.anyOf ?? [schema])
    .flatMap((form) => [form.type].flat().map((type) => ({ ...form, type })))
    .filter(({ type }) => type !== "null");

/** Every named value of an answer, with the path to it. */
function* named(
  schema: Schema,
  root: Schema,
  path: string,
  seen: readonly string[] = [],
): Generator<[string, string, Schema]> {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1)!;
    if (!seen.includes(name)) yield* named(root.$defs![name]!, root, path, [...seen, name]);
    return;
  }
  for (const [name, value] of Object.entries(schema.properties ?? {})) {
    yield [name, `${path}.${name}`, value];
    yield* named(value, root, `${path}.${name}`, seen);
  }
  for (const part of [schema.items, ...(schema.anyOf ?? [])])
    if (part !== undefined) yield* named(part, root, path, seen);
  if (typeof schema.additionalProperties === "object") yield* named(schema.additionalProperties, root, path, seen);
}

const VALUES = OPERATIONS.flatMap(({ name, output }) => {
  const schema = z.toJSONSchema(output, { io: "output", unrepresentable: "any" }) as Schema;
  return [...named(schema, schema, name)];
});

test("there are operations to look at", () => {
  assert.ok(OPERATIONS.length > 60, String(OPERATIONS.length));
  assert.ok(VALUES.length > 400, String(VALUES.length));
});

test("names are in camel case", () => {
  for (const [name, path] of VALUES) assert.match(name, /^[a-z][a-zA-Z0-9]*$/, path);
});

test("times are ISO 8601", () => {
  const times = VALUES.filter(([name]) => /(^a|[a-z]A)t$|^nextRuns$|Until$/.test(name));
  assert.ok(times.length > 25, String(times.length));
  for (const [, path, schema] of times)
    for (const form of forms(schema.items ?? schema)) assert.equal(form.format, "date-time", path);
});

test("spans of time say so in their names", () => {
  const spans = VALUES.filter(([name]) => /Ms$|^time[A-Z]/.test(name) && name !== "timezone");
  assert.ok(spans.length > 8, String(spans.length));
  for (const [name, path, schema] of VALUES) {
    const isVague = /^(ms|elapsed|duration|took)$/i.test(name);
    assert.ok(!isVague || schema.deprecated === true, path);
  }
});

test("answers are counted under one set of names: ok, redirect, clientError, serverError, noAnswer", () => {
  for (const [name, path, schema] of VALUES)
    if (name === "client" || name === "server") assert.equal(schema.deprecated, true, path);
});

test("errors and broken are numbers wherever they stand", () => {
  const counts = VALUES.filter(([name]) => name === "errors" || name === "broken");
  assert.ok(counts.length > 6, String(counts.length));
  for (const [, path, schema] of counts) if (!/\.numbers\b/.test(path)) assert.equal(schema.type, "integer", path);
});

test("what begins with is, has, was or can is a boolean; nothing is a choice of Yes and No", () => {
  for (const [name, path, schema] of VALUES) {
    if (/^(is|has|was|can)[A-Z]/.test(name)) for (const form of forms(schema)) assert.equal(form.type, "boolean", path);
    assert.ok(!schema.enum?.includes("Yes"), path);
  }
});

test("lists are { total, rows, next }, and no answer is a bare array", () => {
  for (const { name, output } of OPERATIONS) {
    const { type, properties = {} } = z.toJSONSchema(output, { io: "output", unrepresentable: "any" }) as Schema;
    assert.notEqual(type, "array", name);
    if (OWN_SHAPE.includes(name)) continue;
    const isList = /^(list|search)/.test(name) || "rows" in properties;
    if (isList) for (const key of ["total", "rows", "next"]) assert.ok(key in properties, `${name} has no ${key}`);
  }
});

test("every deprecated name has its successor next to it", () => {
  const deprecated = VALUES.filter(([, , schema]) => schema.deprecated === true);
  assert.ok(deprecated.length > 5);
  const paths = new Set(VALUES.map(([, path]) => path));
  for (const [, path, { description = "" }] of deprecated as [string, string, Schema & { description?: string }][]) {
    const successor = /(?:the same as|Deprecated:) (?!the same)(\w+)/g;
    const [name] = [...description.matchAll(successor)].map((match) => match[1]!).reverse();
    assert.ok(name !== undefined && paths.has(path.replace(/\w+$/, name)), `${path}: ${description}`);
  }
});
