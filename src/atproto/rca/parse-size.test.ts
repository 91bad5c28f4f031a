import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSize } from "./parse-size.ts";

test("units count by 1024", () => {
  assert.equal(parseSize("2GB"), 2 * 1024 ** 3);
  assert.equal(parseSize("100MB"), 100 * 1024 ** 2);
  assert.equal(parseSize("512 KiB"), 512 * 1024);
  assert.equal(parseSize("1.5g"), 1.5 * 1024 ** 3);
  assert.equal(parseSize(" 3tb "), 3 * 1024 ** 4);
  assert.equal(parseSize("4096"), 4096);
  assert.equal(parseSize("7b"), 7);
});

test("what is no size is refused", () => {
  for (const text of ["", "GB", "-1GB", "2 XB", "1e9", "0", "2GBs", "9999999999TB", "0x10", "1.KB", "Infinity"]) {
    assert.throws(() => parseSize(text), { code: "BAD_CONFIG" }, text);
  }
});
