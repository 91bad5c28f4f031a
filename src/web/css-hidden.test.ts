import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HiddenNames, isOnScreen } from "./css-hidden.ts";

function hidden(...sheets: string[]): string[] {
  const names = new HiddenNames();
  for (const css of sheets) names.add(css);
  return names.selectors;
}

test("hidden names: a rule for one class or id hides it", () => {
  assert.deepEqual(hidden(".a{display:none}"), [".a"]);
  assert.deepEqual(hidden("p{color:red} .a , #b-1{ color:red; DISPLAY : none !important }"), [".a", "#b-1"]);
  assert.deepEqual(hidden("/* .x{} */ .a{/* } */display:none}"), [".a"]);
  assert.deepEqual(hidden('@charset "utf-8";.a{display:none}'), [".a"]);
  assert.deepEqual(hidden(".a{display:block;display:none}"), [".a"]);
});

test("hidden names: a layer, and a query that every screen meets, are no condition", () => {
  assert.deepEqual(hidden("@media screen { .a{display:none} } .b{display:none}"), [".a", ".b"]);
  assert.deepEqual(hidden("@layer x.y{@MEDIA all{.a{display:none}}}"), [".a"]);
  assert.deepEqual(hidden("@layer x{@media print{.a{display:none}}.b{display:none}}.c{display:none}"), [".b", ".c"]);
  assert.deepEqual(hidden("@media screen and (min-width:9px){.a{display:none}}.d{& .a{display:none}}"), []);
});

test("hidden names: a print style sheet does not apply to a screen", () => {
  const media = [null, undefined, "", " all ", "Screen", "print", "screen and (width > 9px)", "screen, print"];
  assert.deepEqual(media.map(isOnScreen), [true, true, true, true, true, false, false, false]);
});

test("hidden names: a rule that depends on more than the name hides nothing", () => {
  for (const css of [
    ".a .b{display:none}",
    ".a:hover{display:none}",
    ".a.b{display:none}",
    "div{display:none}",
    "@media print{.a{display:none}}",
    "@supports (x:y){.a{display:none}}",
    ".a{display:none;display:block}",
    ".a{--display:none}",
    ".a{visibility:hidden}",
  ]) {
    assert.deepEqual(hidden(css), [], css);
  }
});

test("hidden names: a rule that shows such an element wins, wherever it is", () => {
  assert.deepEqual(hidden(".a{display:none} .a.open{display:block}"), []);
  assert.deepEqual(hidden(".a{display:none} @media (min-width:800px){.a{display:flex}}"), []);
  assert.deepEqual(hidden(".open .a{display:block}", ".a,.b{display:none}"), [".b"]);
  assert.deepEqual(hidden(".a{display:none}", ".a{display:block;color:red} .c{display:none}"), [".c"]);
});

test("hidden names: no style sheet is too odd", () => {
  const piece = fc.constantFrom(
    "{",
    "}",
    ".a",
    "#b",
    "display:none",
    "display:block",
    ";",
    ",",
    "/*",
    "*/",
    "@media x",
    " ",
  );
  fc.assert(fc.property(fc.array(piece), (pieces) => void hidden(`display:none${pieces.join("")}`)));
  hidden(
    `display:none${"{".repeat(1_000_000)}`,
    `display:none${"/*".repeat(500_000)}`,
    `.a{${" display".repeat(200_000)}:none}`,
  );
});
