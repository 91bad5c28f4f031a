import assert from "node:assert/strict";
import { test } from "node:test";
import { findWindowBrowser, type Surroundings, windowArguments } from "./window-browser.ts";

const around = (over: Partial<Surroundings> = {}): Surroundings => ({
  platform: "linux",
  env: { PATH: "/usr/bin", DISPLAY: ":0" },
  isExecutable: () => true,
  ...over,
});

test("a browser without windows is passed over", () => {
  assert.equal(findWindowBrowser(null, around()), "/usr/bin/chromium");
  const env = { PATH: "/usr/bin", DISPLAY: ":0", TRAWL_BROWSER: "chromium-headless-shell" };
  assert.throws(() => findWindowBrowser(null, around({ env })), {
    code: "WINDOW_NO_BROWSER",
    message: /"chromium-headless-shell" does not exist, or is not a browser that can open a window/,
  });
});

test("the one that was named is taken, or its absence told", () => {
  assert.equal(findWindowBrowser("/opt/edge", around()), "/opt/edge");
  const isExecutable = () => false;
  assert.throws(() => findWindowBrowser("/opt/edge", around({ isExecutable })), { code: "WINDOW_NO_BROWSER" });
  assert.throws(() => findWindowBrowser(null, around({ isExecutable })), { message: /Chromium, Chrome or Edge/ });
});

test("a screen is needed where there may be none", () => {
  const env = { PATH: "/usr/bin" };
  assert.throws(() => findWindowBrowser(null, around({ env })), { code: "WINDOW_NO_SCREEN" });
  assert.equal(findWindowBrowser(null, around({ env: { ...env, WAYLAND_DISPLAY: "wayland-0" } })), "/usr/bin/chromium");
  assert.equal(findWindowBrowser(null, around({ env, platform: "darwin" })), "/usr/bin/chromium");
});

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
