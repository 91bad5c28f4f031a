import assert from "node:assert/strict";
import { test } from "node:test";
import { lastJsonLine } from "./contender.ts";
import { replaceSection, table } from "./results.ts";
import { slope } from "./slope.ts";

test("a section is added, then replaced, and its neighbours stay", () => {
  const one = replaceSection("# Results\n", "speed", "fast");
  const two = replaceSection(one, "memory", "small");
  const three = replaceSection(two, "speed", "faster\n");
  assert.equal(
    three,
    "# Results\n\n<!-- speed -->\nfaster\n<!-- /speed -->\n\n<!-- memory -->\nsmall\n<!-- /memory -->\n",
  );
});

test("a table lines up figures to the right", () => {
  assert.equal(table(["", "pages"], [["trawl", "7"]]), "|  | pages |\n| --- | ---: |\n| trawl | 7 |");
});

test("the slope of a line with noise on both sides is the line's", () => {
  assert.equal(
    slope([
      [0, 1],
      [1, 2],
      [1, 4],
      [2, 5],
    ]),
    2,
  );
});

test("only the last line must be JSON", () => {
  assert.deepEqual(lastJsonLine('warming up\n{"pages":3}\n'), { pages: 3 });
  assert.throws(() => lastJsonLine("oh no"), /oh no/);
});
