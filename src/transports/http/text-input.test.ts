import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { readTexts } from "./text-input.ts";

test("texts become what the schema asks for", () => {
  assert.equal(readTexts(z.int().min(1).default(5), ["12"]), 12);
  assert.equal(readTexts(z.int().nullable().default(null), [""]), null);
  assert.equal(readTexts(z.string().nullable().default(null), [""]), null);
  assert.equal(readTexts(z.string(), [""]), "");
  assert.equal(readTexts(z.boolean().default(true), ["false"]), false);
  assert.deepEqual(readTexts(z.array(z.string()), ["a,b", "c"]), ["a,b", "c"]);
  assert.deepEqual(readTexts(z.array(z.string()).default([]), ["a, b", "c", ""], true), ["a", "b", "c"]);
  assert.deepEqual(readTexts(z.array(z.int()), ["1", "2"]), [1, 2]);
});

test("what does not fit stays as it was given, for validation to name", () => {
  for (const text of ["", " 1", "1e3", "0x10", "Infinity", "NaN", "١", "1,5", "true"]) {
    assert.equal(readTexts(z.int(), [text]), text);
  }
  assert.equal(readTexts(z.boolean(), ["1"]), "1");
  assert.deepEqual(readTexts(z.int(), ["1", "2"]), ["1", "2"]);
});

test("every number, switch and list comes back as it was written", () => {
  const schema = z.object({ number: z.int(), flag: z.boolean(), texts: z.array(z.string().min(1)) });
  const value = fc.record({
    number: fc.maxSafeInteger(),
    flag: fc.boolean(),
    texts: fc.array(fc.string({ minLength: 1 })),
  });
  fc.assert(
    fc.property(value, (given) => {
      const read = Object.fromEntries(
        Object.entries(given).map(([name, one]) => [
          name,
          readTexts(schema.shape[name as keyof typeof given], [one].flat().map(String)),
        ]),
      );
      assert.deepEqual(schema.parse(read), { ...given });
    }),
  );
});
