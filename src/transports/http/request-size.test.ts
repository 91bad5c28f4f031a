import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LIMITS } from "./limits.ts";
import { InputError } from "./problem.ts";
import { checkJson, checkQuery } from "./request-size.ts";

const refused = (message: RegExp) => (error: unknown) => error instanceof InputError && message.test(error.message);

test("an address with too many parameters is refused before they are read", () => {
  checkQuery("http://localhost/");
  checkQuery(`http://localhost/?${"a=1&".repeat(LIMITS.queryParameters - 1)}`);
  assert.throws(
    () => checkQuery(`http://localhost/?${"a=1&".repeat(29_999)}`),
    refused(/30,000 parameters; at most 250/),
  );
});

test("JSON that is too deep, or has too many keys or values, is refused before it is parsed", () => {
  const check = (text: string) => checkJson(text, LIMITS.body);
  assert.throws(() => check("[".repeat(5_000_000)), refused(/more than 32 levels/));
  assert.throws(() => check(`{"a":${"[".repeat(40)}`), refused(/more than 32 levels/));
  assert.throws(() => check(JSON.stringify(Object.fromEntries(keys(16_000)))), refused(/16,000 keys; at most 2,000/));
  assert.throws(() => check(JSON.stringify({ include: Array(20_000).fill("/a+/") })), refused(/about 20,00\d values/));
  assert.throws(() => check(`[${"[],".repeat(9_999)}[]]`), refused(/values/));
});

const keys = (count: number) => Array.from({ length: count }, (_, index) => [`k${index}`, 1] as const);

test("marks inside strings do not count, escaped quotes included", () => {
  checkJson(JSON.stringify({ text: `"${"[{,:".repeat(20_000)}\\"` }), LIMITS.body);
  checkJson(
    JSON.stringify({ urls: Array.from({ length: 100_000 }, (_, i) => `https://a.example/${i}`) }),
    LIMITS.listBody,
  );
});

test("no JSON of an ordinary size is refused, and no text makes the check fail in another way", () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => checkJson(JSON.stringify(value), LIMITS.body)));
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        checkJson(text, LIMITS.body);
      } catch (error) {
        assert.ok(error instanceof InputError);
      }
    }),
  );
});
