import assert from "node:assert/strict";
import { test } from "node:test";
import { type Choice, chooser, parseAge, parseStatuses, parseTypes } from "./choice.ts";

const line = (url: string, http_status: number, timestamp = 100, page_type = "blob", metadata = {}) => ({
  ...{ url, http_status, timestamp, page_type, metadata },
  content_sha256: http_status === 200 ? "00" : "",
});

const LINES = [
  line("https://a/page", 200),
  line("https://a/old", 200, 10, "issues"),
  line("https://a/moved", 301, 100, "blob", { redirect_to: "https://a/page" }),
  line("https://a/gone", 404),
  line("https://a/broken", 500),
  line("https://a/silent", 0, 100, "blob", { error: "reset" }),
  line("https://a/cut", 200, 100, "blob", { error: "truncated_wire_bytes" }),
];

const chosen = (choice: Choice): string[] =>
  LINES.filter(chooser(choice)).map(({ url }) => url.slice("https://a/".length));

test("everything, or what failed: no answer, an error, a page that was cut; a page that is gone is an answer", () => {
  assert.equal(chosen({}).length, LINES.length);
  assert.deepEqual(chosen({ failed: true }), ["broken", "silent", "cut"]);
});

test("by status, age, type and pattern, all of which must hold", () => {
  assert.deepEqual(chosen({ statuses: parseStatuses(["5xx", "0"]) }), ["broken", "silent"]);
  assert.deepEqual(chosen({ failed: true, statuses: parseStatuses(["404"]) }), ["gone"], "because it was asked for");
  assert.deepEqual(chosen({ failed: true, statuses: parseStatuses(["301"]) }), []);
  assert.deepEqual(chosen({ before: 100 }), ["old"]);
  assert.deepEqual(chosen({ types: ["issues"] }), ["old"]);
  assert.deepEqual(chosen({ match: ["/o*", "/page$/"] }), ["page", "old"]);
  assert.deepEqual(chosen({ match: ["/o*"], before: 5 }), []);
});

test("what people write: statuses, ages, page types", () => {
  assert.deepEqual(parseStatuses(["503", "4XX", "0"]), [
    [503, 503],
    [400, 499],
    [0, 0],
  ]);
  for (const wrong of ["5x", "99", "600", "xx", ""]) assert.throws(() => parseStatuses([wrong]), { code: "BAD_USAGE" });
  assert.deepEqual(["90s", "30m", "1.5h", "7D", "2w"].map(parseAge), [90, 1_800, 5_400, 604_800, 1_209_600]);
  for (const wrong of ["7", "d", "-1d", "1y"]) assert.throws(() => parseAge(wrong), { code: "BAD_USAGE" });
  const known = ["topic", "issues", "pull", "issues"];
  assert.deepEqual(parseTypes(["issue", "pull"], known), ["issues", "pull"]);
  assert.throws(() => parseTypes(["wiki"], known), /they are topic, issues, pull\./);
});
