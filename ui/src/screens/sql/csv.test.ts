import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "./csv.ts";

test("commas, quotes and line ends are quoted; nothing is empty", () => {
  const rows = [
    ["a,b", 1],
    ['say "x"', null],
    ["two\nlines", -2],
  ];
  assert.equal(csvOf(["text", "n"], rows), 'text,n\r\n"a,b",1\r\n"say ""x""",\r\n"two\nlines",-2');
});

test("a title that is a formula does not run in a spreadsheet", () => {
  assert.equal(csvOf(["t"], [["=HYPERLINK(1)"], ["@x"], ["-1+2"]]), "t\r\n'=HYPERLINK(1)\r\n'@x\r\n'-1+2");
});
