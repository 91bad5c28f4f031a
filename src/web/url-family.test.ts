import assert from "node:assert/strict";
import { test } from "node:test";
import { folderFamily, isDated, tokensOf, variantFamily, withoutDates, withoutOwnNumbers } from "./url-family.ts";

test("the family of a folder, and of the variants of a path", () => {
  const folders: [string, string][] = [
    ["/", "/*"],
    ["/about", "/*"],
    ["/about/", "/*"],
    ["/?page=2", "/*"],
    ["/maze/a/b", "/maze/**"],
    ["/maze?word=a", "/maze/**"],
  ];
  for (const [path, family] of folders) assert.equal(folderFamily(`https://a.test${path}`), `https://a.test${family}`);
  assert.equal(variantFamily("https://a.test/list?page=2"), "https://a.test/list?*");
  assert.equal(variantFamily("https://a.test/list"), null);
  for (const token of [
    "0123456789abcdef",
    "b1946ac92492d2347c6235b4d2611184",
    "9b2e4d06-1c5a-4f7e-8d3b-aa0f5c6e7d81",
  ]) {
    assert.equal(variantFamily(`https://a.test/${token}/cart`), "https://a.test/*/cart");
    assert.equal(tokensOf(`https://a.test/${token}/cart`), `/${token}`);
    assert.equal(variantFamily(`https://a.test/s/${token}/a/b?c`), "https://a.test/s/*/a/b?*");
    // The last part of a path names the page.
    for (const path of [token, `item/${token}`, `item/${token}/`]) {
      assert.equal(variantFamily(`https://a.test/${path}`), null);
    }
  }
  for (const folder of [
    "html5semantics",
    "2024-05-17-news-of-may",
    "python3.13",
    "internationalization",
    "202405171200",
  ]) {
    assert.equal(variantFamily(`https://a.test/${folder}/page`), null, folder);
  }
});

test("dates in addresses", () => {
  for (const path of [
    "/calendar/2027/05",
    "/day/2027-05-01",
    "/cal?year=2027&month=5",
    "/2027/may",
    "/cal?y=2027&m=5",
  ]) {
    assert.ok(isDated(`https://a.test${path}`), path);
  }
  for (const path of ["/product/20270", "/list?page=2027", "/2027", "/v2027.50/", "/a?m=5"]) {
    assert.ok(!isDated(`https://a.test${path}`), path);
  }
});

test("texts without what numbers alone make different", () => {
  assert.equal(withoutDates("High water at 05:33 on 2027-05-01, 12.5 m"), "High water at 0 on 0-0-0, 12.5 m");
  const url = "https://a.test/list?page=7";
  assert.equal(withoutOwnNumbers("Page 7 of 90: 6, 8, 70", url), "Page 0 of 90: 0, 0, 70");
});
