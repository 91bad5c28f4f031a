/** Functions of rules that a site of a fixture tries with one value only. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { addRuleFunctions } from "./sql-functions.ts";

it("knows which languages and countries exist", (t) => {
  const db = new DatabaseSync(":memory:");
  t.after(() => db.close());
  addRuleFunctions(db);
  const ask = db.prepare("SELECT is_language(?) AS is_one");
  const isOne = (code: string): boolean => ask.get(code)!["is_one"] === 1;
  const right = [
    "en",
    "EN",
    "de-at",
    "pt-BR",
    "zh-Hant-TW",
    "es-419",
    "fil",
    "sr-latn-rs",
    "sq-XK",
    "aaa",
    "no",
    "en-GB-oxendict",
  ];
  const wrong = ["xx", "jp", "cn", "gr", "cz", "en-UK", "en-EU", "en-EN", "xx-yy", "ru-SU", "de-ZZ"];
  assert.deepEqual(
    right.filter((code) => !isOne(code)),
    [],
  );
  assert.deepEqual(wrong.filter(isOne), []);
});
