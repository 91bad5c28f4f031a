import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { plainWords } from "./plain-words.ts";

/** What is said of a value. */
const said = (schema: z.ZodType, value: unknown): string =>
  schema.safeParse(value, { error: plainWords }).error!.issues[0]!.message;

test("what zod finds wrong is said in plain words", () => {
  const cases: [schema: z.ZodType, value: unknown, words: string][] = [
    [z.string(), undefined, "is missing: it must be a text"],
    [z.string(), 3, "must be a text, not a number"],
    [z.int(), "x", "must be a number, not a text"],
    [z.int(), 1.5, "must be a whole number"],
    [z.int(), Number.NaN, "must be a number"],
    [z.record(z.string(), z.string()), [], "must be a map, not a list"],
    [z.array(z.string()), null, "must be a list, not null"],
    [z.union([z.string(), z.array(z.string())]), 3, "must be a text or a list, not a number"],
    [z.enum(["respect", "ignore"]), "ignor", "must be one of respect, ignore; did you mean ignore?"],
    [z.enum(["a", "b"]), undefined, "is missing: it must be one of a, b"],
    [z.literal("yes"), "no", "must be yes"],
    [z.int().min(1), 0, "must be at least 1"],
    [z.number().positive(), 0, "must be more than 0"],
    [z.int().max(1_000), 2_000, "must be at most 1000"],
    [z.string().min(1), "", "must not be empty"],
    [z.string().max(3), "four", "must have at most 3 characters"],
    [z.array(z.int()).min(2), [1], "must have at least 2 items"],
    [z.url(), "x", "must be a URL, such as https://example.com/"],
    [z.iso.date(), "x", "must be a day, such as 2027-01-31"],
    [z.string().regex(/^a/), "b", "is not written as it must be"],
  ];
  for (const [schema, value, words] of cases) assert.equal(said(schema, value), words);
});

test("the words of a schema stay", () => {
  assert.equal(said(z.string({ error: "say who you are" }), 3), "say who you are");
  assert.equal(said(z.string().regex(/^a/, "begins with a"), "b"), "begins with a");
});
