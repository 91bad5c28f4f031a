import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { RobotsDirectives } from "./robots-directives.ts";
import {
  emptyDirectives,
  isNoindex,
  mergeDirectives,
  parseRobotsHeader,
  parseRobotsMeta,
} from "./robots-directives.ts";

function meta(content: string, name = "robots"): RobotsDirectives {
  return parseRobotsMeta([{ name, content }], "Trawl");
}

function header(...values: string[]): RobotsDirectives {
  return parseRobotsHeader(values, "Trawl");
}

test("meta elements: flags in any case and spacing, none and all", () => {
  assert.deepEqual(meta(" NoIndex ,nofollow,, ").found, ["noindex", "nofollow"]);
  assert.ok(meta("none").noindex && meta("none").nofollow);
  assert.deepEqual(meta("all, index, follow").noindex, false);
  assert.ok(meta("index, noindex").noindex, "the stricter one holds");
  assert.deepEqual(meta("max-snippet:-1, max-image-preview: large").limits, {
    "max-snippet": "-1",
    "max-image-preview": "large",
  });
  assert.deepEqual(meta(""), emptyDirectives());
});

test("meta elements: for everybody or for us, not for others", () => {
  assert.ok(meta("noindex", " ROBOTS ").noindex);
  assert.ok(meta("noindex", "trawl").noindex);
  assert.ok(!meta("noindex", "googlebot").noindex);
  assert.ok(!parseRobotsMeta([{ name: "", content: "noindex" }], "").noindex);
  const both = [
    { name: "robots", content: "nofollow" },
    { name: "trawl", content: "noindex" },
  ];
  const directives = parseRobotsMeta(both, "Trawl");
  assert.ok(directives.noindex && directives.nofollow);
});

test("headers: an agent's name holds up to the next name or the end of the line", () => {
  assert.ok(header("noindex").noindex);
  assert.ok(!header("googlebot: noindex, nofollow").nofollow);
  const mixed = header("nofollow, googlebot: noindex, TRAWL: noarchive, nosnippet, otherbot: none");
  assert.deepEqual(mixed.found, ["nofollow", "noarchive", "nosnippet"]);
  assert.ok(header("googlebot: nofollow", "noindex").noindex, "each line stands alone");
  assert.deepEqual(header("trawl: max-snippet: 20").limits, { "max-snippet": "20" });
  assert.deepEqual(header("max-snippet: 20, trawl:").found, ["max-snippet: 20"]);
});

test("a date after which the page is gone", () => {
  const day = Date.UTC(2024, 4, 17, 10);
  for (const date of ["17 May 2024 10:00:00 GMT", "Fri, 17 May 2024 10:00:00 GMT", "2024-05-17T10:00:00Z"]) {
    const directives = header(`googlebot: noindex, trawl: unavailable_after: ${date}, noarchive`);
    assert.equal(directives.unavailableAfter, day, date);
    assert.ok(directives.noarchive, date);
    assert.ok(!isNoindex(directives, day - 1));
    assert.ok(isNoindex(directives, day));
  }
  assert.equal(meta("unavailable_after: some day, noindex").unavailableAfter, null);
  assert.ok(meta("unavailable_after: some day, noindex").noindex);
});

test("header and page are added up", () => {
  const merged = mergeDirectives(header("noindex, max-snippet: 5"), meta("nofollow, noindex, max-snippet: 9"));
  assert.ok(merged.noindex && merged.nofollow);
  assert.deepEqual(merged.found, ["noindex", "max-snippet: 5", "nofollow", "max-snippet: 9"]);
  assert.deepEqual(merged.limits, { "max-snippet": "5" });
});

test("any text is read without an error, and more text is never less strict", () => {
  const part = fc.constantFrom(
    "noindex",
    "none",
    ",",
    ":",
    "trawl",
    "unavailable_after",
    "2020",
    "max-snippet",
    " ",
    "é",
    "__proto__",
  );
  const text = fc.oneof(
    fc.array(part, { maxLength: 10 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(text, text, (first, second) => {
      assert.ok(header(first, second).noindex || !header(first).noindex);
      assert.ok(meta(`${first}, ${second}`).found.length >= 0);
    }),
    { numRuns: 1000 },
  );
});
