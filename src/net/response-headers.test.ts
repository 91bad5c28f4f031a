import assert from "node:assert/strict";
import { test } from "node:test";
import { FetchError } from "./fetch-errors.ts";
import { headerPairs } from "./response-headers.ts";

test("values that repeat stay apart", () => {
  assert.deepEqual(headerPairs({ "set-cookie": ["a=1", "b=2"], etag: '"x"' }, 1_000), [
    ["set-cookie", "a=1"],
    ["set-cookie", "b=2"],
    ["etag", '"x"'],
  ]);
});

test("UTF-8 in a value is read as such, Latin-1 is left", () => {
  const bytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");
  assert.deepEqual(headerPairs({ location: bytes("/prüfung/日本") }, 1_000), [["location", "/prüfung/日本"]]);
  assert.deepEqual(headerPairs({ location: "/pr\u00fcfung" }, 1_000), [["location", "/prüfung"]]);
});

test("many small fields count as much as few large ones", () => {
  const headers = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`h${index}`, ""]));
  assert.throws(
    () => headerPairs(headers, 3_000),
    (error) => error instanceof FetchError && error.code === "too_many_headers",
  );
  assert.equal(headerPairs(headers, 4_000).length, 100);
});
