import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type HeaderPairs,
  headerValue,
  headerValues,
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
