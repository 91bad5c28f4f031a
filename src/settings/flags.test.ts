import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { kebab, shapeOf } from "./flags.ts";

test("flags: the shape of a setting follows from its schema", () => {
  const plain = (kind: string, nullable = false) => ({ kind, nullable, choices: [] });
  assert.deepEqual(shapeOf(z.boolean().default(true)), plain("switch"));
  assert.deepEqual(shapeOf(z.int().min(0).default(3)), plain("number"));
  assert.deepEqual(shapeOf(z.string().nullable().default(null)), plain("text", true));
  assert.deepEqual(shapeOf(z.record(z.string(), z.string())), plain("pairs"));
  assert.deepEqual(shapeOf(z.enum(["a", "b"])), { kind: "choice", nullable: false, choices: ["a", "b"] });
  assert.deepEqual(shapeOf(z.array(z.enum(["a"])).default([])), { kind: "list", nullable: false, choices: ["a"] });
  assert.throws(() => shapeOf(z.date()), /no flag is known for a setting of type date/);
});

test("flags: names are written with hyphens", () => {
  assert.deepEqual(["rate", "maxUrls", "minBytesPerSecond"].map(kebab), ["rate", "max-urls", "min-bytes-per-second"]);
});
