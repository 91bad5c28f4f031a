import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FetchError } from "./fetch-errors.ts";
import {
  type HeaderPairs,
  headerPairs,
  headerValue,
  headerValues,
  parseHttpDate,
  parseRateLimitReset,
  parseRetryAfter,
  serverDelay,
} from "./headers.ts";

const NOW = Date.UTC(2026, 0, 1, 12);

test("finds the first value, or all of them", () => {
  const headers: HeaderPairs = [
    ["x-robots-tag", "noindex"],
    ["link", "</a>"],
    ["x-robots-tag", "nofollow"],
  ];
  assert.equal(headerValue(headers, "x-robots-tag"), "noindex");
  assert.equal(headerValue(headers, "absent"), null);
  assert.deepEqual(headerValues(headers, "x-robots-tag"), ["noindex", "nofollow"]);
});

test("Retry-After in seconds or as a date", () => {
  assert.equal(parseRetryAfter("120", NOW), 120_000);
  assert.equal(parseRetryAfter(" 0 ", NOW), 0);
  assert.equal(parseRetryAfter("1.5", NOW), 1_500);
  assert.equal(parseRetryAfter(new Date(NOW + 60_000).toUTCString(), NOW), 60_000);
  assert.equal(parseRetryAfter(new Date(NOW - 60_000).toUTCString(), NOW), 0);
  for (const value of ["", "-1", "soon", "1e9", "0x10", "120 s"])
    assert.equal(parseRetryAfter(value, NOW), null, value);
});

test("a rate limit's reset in seconds, Unix seconds or Unix milliseconds", () => {
  assert.equal(parseRateLimitReset("30", NOW), 30_000);
  assert.equal(parseRateLimitReset(String(NOW / 1000 + 45), NOW), 45_000);
  assert.equal(parseRateLimitReset(String(NOW + 1_234), NOW), 1_234);
  assert.equal(parseRateLimitReset(String(NOW / 1000 - 45), NOW), 0);
  assert.equal(parseRateLimitReset("later", NOW), null);
});

test("the server's delay: Retry-After first, then a limit that is used up", () => {
  assert.equal(
    serverDelay(
      [
        ["ratelimit-reset", "9"],
        ["retry-after", "3"],
      ],
      NOW,
    ),
    3_000,
  );
  assert.equal(
    serverDelay(
      [
        ["retry-after", "nonsense"],
        ["ratelimit-reset", "9"],
      ],
      NOW,
    ),
    9_000,
  );
  assert.equal(
    serverDelay(
      [
        ["x-ratelimit-reset", "9"],
        ["x-ratelimit-remaining", "0"],
      ],
      NOW,
    ),
    9_000,
  );
  assert.equal(
    serverDelay(
      [
        ["x-ratelimit-reset", "9"],
        ["x-ratelimit-remaining", "4999"],
      ],
      NOW,
    ),
    null,
  );
  assert.equal(serverDelay([], NOW), null);
});

test("any text gives a wait that is not negative, or null", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String)), (value) => {
      for (const wait of [parseRetryAfter(value, NOW), parseRateLimitReset(value, NOW)]) {
        assert.ok(wait === null || (Number.isFinite(wait) && wait >= 0));
      }
    }),
  );
});

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
