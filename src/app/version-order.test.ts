import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isNewer } from "./version-order.ts";

/** The row that semver.org gives, and then some: each is newer than the one before. */
const ROW = [
  "0.1.0",
  "0.1.9",
  "0.1.10",
  "0.2.0-rc.1",
  "0.2.0",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0",
  "1.0.1",
  "1.10.0",
  "2.0.0",
  "10.0.0",
];

test("versions: the order of semantic versioning, in both directions", () => {
  for (const [earlier, one] of ROW.entries()) {
    for (const [later, other] of ROW.entries()) {
      assert.equal(isNewer(other, one), later > earlier, `${other} after ${one}`);
    }
  }
});

test("versions: what is built from the same source is no newer", () => {
  assert.equal(isNewer("1.0.0+build.2", "1.0.0+build.1"), false);
  assert.equal(isNewer("v1.0.1", "1.0.0"), true);
});

test("versions: never both newer, whatever the text", () => {
  fc.assert(fc.property(fc.string(), fc.string(), (one, other) => !(isNewer(one, other) && isNewer(other, one))));
});
