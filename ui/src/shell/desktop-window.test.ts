import assert from "node:assert/strict";
import { test } from "node:test";
import { isDesktopWindow } from "./desktop-window.ts";

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

test("a desktop window stays one on every screen; a tab never becomes one", () => {
  const session = memory();
  assert.equal(isDesktopWindow({ search: "", session }), false);
  assert.equal(isDesktopWindow({ search: "?desktop", session }), true);
  assert.equal(isDesktopWindow({ search: "?inspect=https%3A%2F%2Fexample.com%2F", session }), true);
  assert.equal(isDesktopWindow({ search: "?inspect=desktop", session: memory() }), false);
});
