import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findBrowser } from "./find-browser.ts";

const only =
  (...paths: string[]) =>
  (path: string) =>
    paths.includes(path);
const linux = { PATH: "/usr/local/bin:/usr/bin" };

describe("findBrowser", () => {
  it("takes the named browser before anything else", () => {
    const found = findBrowser(
      "/opt/b",
      { ...linux, TRAWL_BROWSER: "/opt/c" },
      only("/opt/b", "/opt/c", "/usr/bin/chromium"),
    );
    assert.deepEqual(found, { executablePath: "/opt/b", source: "option" });
  });

  it("never replaces a named browser that is missing by another", () => {
    assert.equal(findBrowser("/opt/b", linux, only("/usr/bin/chromium")), null);
    assert.equal(findBrowser(null, { ...linux, TRAWL_BROWSER: "/opt/b" }, only("/usr/bin/chromium")), null);
  });

  it("looks up a bare name on the path", () => {
    const found = findBrowser(null, { ...linux, TRAWL_BROWSER: "brave" }, only("/usr/bin/brave"));
    assert.deepEqual(found, { executablePath: "/usr/bin/brave", source: "environment" });
  });

  it("prefers the headless shell in a later folder to Chromium in an earlier one", () => {
    const found = findBrowser(null, linux, only("/usr/local/bin/chromium", "/usr/bin/chromium-headless-shell"));
    assert.equal(found?.executablePath, "/usr/bin/chromium-headless-shell");
  });

  for (const [place, env] of [
    ["/usr/bin/google-chrome", linux],
    ["/usr/bin/microsoft-edge", linux],
    ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", linux],
    ["/Users/a/Applications/Chromium.app/Contents/MacOS/Chromium", { ...linux, HOME: "/Users/a" }],
    ["C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe", { PROGRAMFILES: "C:\\Program Files" }],
    ["C:\\P86\\Microsoft\\Edge\\Application\\msedge.exe", { "ProgramFiles(x86)": "C:\\P86" }],
    ["C:\\tools\\chrome.exe", { Path: "C:\\windows;C:\\tools" }],
  ] as [string, Record<string, string>][]) {
    it(`finds ${place}`, () => {
      assert.deepEqual(findBrowser(null, env, only(place)), { executablePath: place, source: "search" });
    });
  }

  it("finds nothing where there is nothing", () => {
    assert.equal(
      findBrowser(null, {}, () => false),
      null,
    );
  });
});
