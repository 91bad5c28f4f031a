import assert from "node:assert/strict";
import { test } from "node:test";
import { windowArguments } from "./window-arguments.ts";

const start = { url: "http://127.0.0.1:8080/icon.svg", profile: "/home/me/.trawl/desktop/profile", isRoot: false };

test("a first window has a size, and its place is the system's to choose", () => {
  const first = windowArguments({ ...start, place: null });
  assert.ok(first.includes("--window-size=1280,800"));
  assert.ok(first.includes(`--app=${start.url}`));
  assert.ok(first.includes(`--user-data-dir=${start.profile}`));
  assert.equal(
    first.some((argument) => /position|maximized|sandbox/.test(argument)),
    false,
  );
});

test("a later one is where the last one was", () => {
  const place = { left: -900, top: 20, width: 800, height: 600, isMaximized: true };
  const later = windowArguments({ ...start, place });
  assert.deepEqual(
    later.filter((argument) => /--window-|maximized/.test(argument)),
    ["--window-size=800,600", "--window-position=-900,20", "--start-maximized"],
  );
});

test("the sandbox is given up for root alone", () => {
  assert.ok(windowArguments({ ...start, place: null, isRoot: true }).includes("--no-sandbox"));
});
