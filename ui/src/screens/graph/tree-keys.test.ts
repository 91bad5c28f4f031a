import assert from "node:assert/strict";
import { test } from "node:test";
import { treeMove } from "./tree-keys.ts";

// 0 ─ 1 ─ 2 (leaf)
//     └ 3 (closed)
// 4 (leaf)
const items = [
  { level: 1, isExpanded: true },
  { level: 2, isExpanded: true },
  { level: 3, isExpanded: null },
  { level: 2, isExpanded: false },
  { level: 1, isExpanded: null },
];

const cases: [number, string, ReturnType<typeof treeMove>][] = [
  [0, "ArrowDown", { kind: "focus", at: 1 }],
  [4, "ArrowDown", null],
  [0, "ArrowUp", null],
  [3, "ArrowUp", { kind: "focus", at: 2 }],
  [3, "ArrowRight", { kind: "toggle", at: 3 }],
  [0, "ArrowRight", { kind: "focus", at: 1 }],
  [2, "ArrowRight", null],
  [1, "ArrowLeft", { kind: "toggle", at: 1 }],
  [2, "ArrowLeft", { kind: "focus", at: 1 }],
  [3, "ArrowLeft", { kind: "focus", at: 0 }],
  [4, "ArrowLeft", null],
  [2, "Home", { kind: "focus", at: 0 }],
  [2, "End", { kind: "focus", at: 4 }],
  [3, " ", { kind: "toggle", at: 3 }],
  [4, " ", null],
  [2, "x", null],
  [9, "Home", null],
];

for (const [at, key, expected] of cases) {
  test(`${key === " " ? "space" : key} at ${at}`, () => assert.deepEqual(treeMove(items, at, key), expected));
}
