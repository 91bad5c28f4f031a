/** Settings and state that somebody else wrote: they are data, checked, and never code. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYaml } from "../../src/settings/yaml.ts";
import { parseConfig } from "../../src/site/site-config.ts";

const read = (text: string) => parseConfig(parseYaml(text, "trawl.yaml", "maxUrls: 100"));
const BAD = { code: "BAD_CONFIG" };

test("21: YAML tags that other readers turn into code are text or a mistake", () => {
  for (const value of [
    '!!js/function "function(){ process.exit(7) }"',
    "!!python/object/apply:os.system [id]",
    "!!js/regexp /a/",
  ]) {
    assert.throws(() => read(`userAgent: ${value}\nnonsense: 1\n`), BAD);
  }
});

test("21: aliases that expand without end are a mistake, not the end of the memory", () => {
  const lines = Array.from(
    { length: 30 },
    (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index}, `.repeat(10)}]`,
  );
  assert.throws(() => read(`a0: &a0 [x]\n${lines.join("\n")}\n`), BAD);
});

test("21: names of what every object has are unknown settings, and change no object", () => {
  for (const name of ["__proto__", "constructor", "prototype", "hasOwnProperty"]) {
    assert.throws(() => read(`${name}: { polluted: true }\n`), BAD, name);
    assert.throws(() => parseConfig(JSON.parse(`{"${name}": {"polluted": true}}`)), BAD, name);
  }
  assert.equal("polluted" in {}, false);
});
