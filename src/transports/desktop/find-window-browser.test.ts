import assert from "node:assert/strict";
import { test } from "node:test";
import { findWindowBrowser, type Surroundings } from "./find-window-browser.ts";

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
    message: /"chromium-headless-shell" is not there, or is no browser that can open a window/,
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
