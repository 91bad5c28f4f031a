import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseHttpDate } from "./http-date.ts";

const NOW = Date.UTC(2026, 0, 1);

test("reads the three forms of RFC 9110", () => {
  const expected = Date.UTC(1994, 10, 6, 8, 49, 37);
  assert.equal(parseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT", NOW), expected);
  assert.equal(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT", NOW), expected);
  assert.equal(parseHttpDate("Sun Nov  6 08:49:37 1994", NOW), expected);
  assert.equal(parseHttpDate("Friday, 06-Nov-30 08:49:37 GMT", NOW), Date.UTC(2030, 10, 6, 8, 49, 37));
});

test("refuses what Date.parse would guess at", () => {
  for (const text of [
    "",
    "soon",
    "2026-01-01",
    "Sun, 31 Feb 2026 08:49:37 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 25:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 PST",
  ]) {
    assert.equal(parseHttpDate(text, NOW), null, text);
  }
});

test("reads back every date as toUTCString writes it", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }), (date) => {
      assert.equal(parseHttpDate(date.toUTCString(), NOW), Math.floor(date.getTime() / 1000) * 1000);
    }),
  );
});
