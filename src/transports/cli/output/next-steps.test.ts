import assert from "node:assert/strict";
import { test } from "node:test";
import { stepLines, toResume } from "./next-steps.ts";
import { createStyle } from "./style.ts";

test("what is shown can be typed, by npx too", () => {
  const style = createStyle(false);
  assert.deepEqual(stepLines(toResume(3), style, {}), ["  trawl resume 3  goes on where it stopped"]);
  assert.match(stepLines(toResume(3), style, { npm_command: "exec" })[0]!, /^ {2}npx trawl resume 3 /);
});

test("what a step does is broken where the terminal ends", () => {
  const lines = stepLines([["show 3", "one two three four five"]], createStyle(false), {}, 36);
  assert.deepEqual(lines, ["  trawl show 3  one two three four", "                five"]);
});
