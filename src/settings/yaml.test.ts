import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYaml } from "./yaml.ts";

const read = (text: string): unknown => parseYaml(text, "trawl.yaml", "maxUrls: 100");

test("a mistake is named with its place, and values that are no settings with an example", () => {
  assert.deepEqual(read("maxUrls: 5\n"), { maxUrls: 5 });
  assert.deepEqual(read("# nothing\n"), {});
  const message = /^trawl\.yaml is not valid YAML: .+ at line 2, column 9$/;
  assert.throws(() => read("a: 1\nb: *x*: {\n"), { code: "BAD_CONFIG", message });
  assert.throws(() => read("- a\n"), { code: "BAD_CONFIG", message: /settings such as "maxUrls: 100"/ });
});
