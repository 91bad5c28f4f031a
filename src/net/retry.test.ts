import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FETCH_ERRORS, FetchError, type FetchErrorCode } from "./fetch-errors.ts";
import { type RetryInput, retryDecision } from "./retry.ts";

const input = (overrides: Partial<RetryInput>): RetryInput => ({
  attempt: 1,
  maxAttempts: 3,
  outcome: 503,
  retryAfter: null,
  now: 0,
  random: () => 0.5,
  baseMs: 1_000,
  maxDelayMs: 60_000,
  ...overrides,
});

test("statuses that pass are tried again, others are not", () => {
  for (const outcome of [408, 429, 500, 502, 503, 504]) assert.equal(retryDecision(input({ outcome })).retry, true);
  for (const outcome of [200, 301, 304, 400, 401, 403, 404, 410, 501, 505]) {
    assert.deepEqual(retryDecision(input({ outcome })), { retry: false, delayMs: 0 });
  }
});

test("errors are tried again as their table says", () => {
  for (const code of Object.keys(FETCH_ERRORS) as FetchErrorCode[]) {
    const decision = retryDecision(input({ outcome: new FetchError(code) }));
    assert.equal(decision.retry, FETCH_ERRORS[code].retryable, code);
  }
});

test("the attempts are counted", () => {
  assert.equal(retryDecision(input({ attempt: 2 })).retry, true);
  assert.equal(retryDecision(input({ attempt: 3 })).retry, false);
  assert.equal(retryDecision(input({ maxAttempts: 1 })).retry, false);
});

test("the ceiling doubles and the jitter is full", () => {
  assert.equal(retryDecision(input({ attempt: 1, random: () => 0 })).delayMs, 0);
  assert.equal(retryDecision(input({ attempt: 1 })).delayMs, 500);
  assert.equal(retryDecision(input({ attempt: 3, maxAttempts: 9 })).delayMs, 2_000);
  assert.equal(retryDecision(input({ attempt: 40, maxAttempts: 99 })).delayMs, 30_000);
});

test("Retry-After is waited for, up to the cap", () => {
  assert.equal(retryDecision(input({ retryAfter: "7" })).delayMs, 7_000);
  assert.equal(retryDecision(input({ retryAfter: "31536000" })).delayMs, 60_000);
  assert.equal(retryDecision(input({ retryAfter: "Thu, 01 Jan 1970 00:00:09 GMT" })).delayMs, 9_000);
  assert.equal(retryDecision(input({ retryAfter: "rubbish" })).delayMs, 500);
});

test("the delay is always within [0, cap]", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e6 }),
      fc.double({ min: 0, max: 0.999999, noNaN: true }),
      fc.string(),
      (attempt, roll, header) => {
        const { delayMs } = retryDecision(input({ attempt, maxAttempts: 1e9, random: () => roll, retryAfter: header }));
        assert.ok(delayMs >= 0 && delayMs <= 60_000);
      },
    ),
  );
});
