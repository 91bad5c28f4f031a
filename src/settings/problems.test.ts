import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { TrawlError } from "../errors.ts";
import { didYouMean } from "./did-you-mean.ts";
import { naming, parseSettings, settingProblems } from "./problems.ts";

const schema = z.strictObject({
  rate: z.number().min(0).default(1),
  limits: z.strictObject({ retries: z.int().default(2) }).prefault({}),
  rules: z.array(z.strictObject({ name: z.string() })).default([]),
});

test("settings: nothing written means every default", () => {
  assert.deepEqual(parseSettings(schema, {}), { rate: 1, limits: { retries: 2 }, rules: [] });
  assert.deepEqual(settingProblems(schema, {}), []);
});

test("settings: every problem is listed, with the path of a nested setting and what was probably meant", () => {
  const written = { rate: -1, limits: { retrys: 3 }, rules: [{ name: "a", nam: "b" }], banana: 1 };
  assert.throws(
    () => parseSettings(schema, written),
    (error) => {
      assert.ok(error instanceof TrawlError && error.code === "BAD_CONFIG");
      const lines = error.message.split("\n").sort();
      assert.equal(lines.length, 4);
      assert.equal(lines[0], "banana: there is no such setting");
      assert.equal(lines[1], "limits.retrys: there is no such setting; did you mean retries?");
      assert.match(lines[2]!, /^rate: /);
      assert.equal(lines[3], "rules.0.nam: there is no such setting; did you mean name?");
      return true;
    },
  );
});

test("settings: what is missing, or of the wrong kind, is said in plain words", () => {
  const problems = settingProblems(schema, { rate: "fast", limits: [], rules: [{}] });
  assert.deepEqual(
    problems.map(({ setting, message }) => `${setting} ${message}`),
    [
      "rate must be a number, not a text",
      "limits must be a map, not a list",
      "rules.0.name is missing: it must be a text",
    ],
  );
});

test("settings: a problem of all of them has no name", () => {
  assert.equal(settingProblems(schema, 5)[0]!.setting, "");
});

test("settings: a name that a map would lose is a problem like any other", () => {
  const maps = z.strictObject({ headers: z.record(z.string(), z.string()) });
  const written = JSON.parse('{"headers": {"A": "1", "__proto__": "2"}}');
  assert.deepEqual(settingProblems(maps, written), [
    { setting: "headers.__proto__", message: "this name cannot be used" },
  ]);
  assert.throws(() => parseSettings(maps, written), { code: "BAD_CONFIG" });
});

test("settings: a suggestion is close to what was written, whatever its case", () => {
  assert.equal(didYouMean("USERAGENT", ["userAgent", "rate"]), "; did you mean userAgent?");
  assert.equal(didYouMean("x", ["rate"]), "");
  assert.equal(didYouMean("rate", []), "");
});

test("settings: the file is named in what is wrong with it, and in nothing else", () => {
  assert.throws(
    () => naming("a.yaml", () => parseSettings(schema, { rate: -1 })),
    /^TrawlError: a\.yaml is not valid:\nrate: /,
  );
  assert.throws(() => naming(null, () => parseSettings(schema, { rate: -1 })), /^TrawlError: rate: /);
  const other = new RangeError("no");
  assert.throws(
    () =>
      naming("a.yaml", () => {
        throw other;
      }),
    other,
  );
});
