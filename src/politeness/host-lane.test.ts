import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FETCH_ERRORS, FetchError, type FetchErrorCode } from "../net/fetch-errors.ts";
import { parseRetryAfter } from "../net/headers.ts";
import { fakeResponse } from "../net/testing/fake-client.ts";
import { laneSignal, type RetryInput, retryDelay } from "./host-lane.ts";

const signalOf = (status: number, headers: Record<string, string> = {}) =>
  laneSignal(fakeResponse("https://example.com/", { status, headers }), 0);

test("lane signal: answers", () => {
  for (const status of [200, 204, 301, 304]) assert.deepEqual(signalOf(status), { kind: "ok" });
  // A page that is missing or broken says nothing of its host.
  for (const status of [400, 403, 404, 410, 451, 500, 501, 505])
    assert.deepEqual(signalOf(status), { kind: "neutral" });
  for (const status of [502, 503, 504]) assert.deepEqual(signalOf(status), { kind: "overloaded", forMs: null });
  assert.deepEqual(signalOf(429), { kind: "throttled", forMs: null });
});

test("lane signal: how long the server asks to wait", () => {
  assert.deepEqual(signalOf(429, { "retry-after": "3" }), { kind: "throttled", forMs: 3_000 });
  assert.deepEqual(signalOf(503, { "retry-after": "3" }), { kind: "overloaded", forMs: 3_000 });
  const used = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "5" };
  assert.deepEqual(signalOf(429, used), { kind: "throttled", forMs: 5_000 });
});

test("lane signal: errors that may pass count against the host, the page's own do not", () => {
  for (const code of Object.keys(FETCH_ERRORS) as FetchErrorCode[]) {
    const expected = FETCH_ERRORS[code].retryable ? "unreachable" : "neutral";
    assert.equal(laneSignal(new FetchError(code), 0).kind, expected, code);
  }
});

const delay = (overrides: Partial<RetryInput>): number | null =>
  retryDelay({
    attempt: 1,
    maxAttempts: 3,
    outcome: 503,
    askedMs: null,
    maxAskedMs: 60_000,
    random: () => 0.5,
    backOff: { firstMs: 1_000, maxMs: 60_000 },
    ...overrides,
  });

test("statuses that pass are tried again, others are not", () => {
  for (const outcome of [408, 429, 500, 502, 503, 504]) assert.notEqual(delay({ outcome }), null);
  for (const outcome of [200, 301, 304, 400, 401, 403, 404, 410, 501, 505]) assert.equal(delay({ outcome }), null);
});

test("errors are tried again as their table says", () => {
  for (const code of Object.keys(FETCH_ERRORS) as FetchErrorCode[]) {
    assert.equal(delay({ outcome: new FetchError(code) }) !== null, FETCH_ERRORS[code].retryable, code);
  }
});

test("the attempts are counted", () => {
  assert.notEqual(delay({ attempt: 2 }), null);
  assert.equal(delay({ attempt: 3 }), null);
  assert.equal(delay({ maxAttempts: 1 }), null);
});

test("the ceiling doubles and the jitter is full", () => {
  assert.equal(delay({ attempt: 1, random: () => 0 }), 0);
  assert.equal(delay({ attempt: 1 }), 500);
  assert.equal(delay({ attempt: 3, maxAttempts: 9 }), 2_000);
  assert.equal(delay({ attempt: 40, maxAttempts: 99 }), 30_000);
});

test("Retry-After is waited for, up to the cap", () => {
  const asked = (header: string) => delay({ askedMs: parseRetryAfter(header, 0) });
  assert.equal(asked("7"), 7_000);
  assert.equal(asked("31536000"), 60_000);
  assert.equal(asked("Thu, 01 Jan 1970 00:00:09 GMT"), 9_000);
  assert.equal(asked("rubbish"), 500);
});

test("what the server asks for may be longer than our own longest wait", () => {
  assert.equal(delay({ askedMs: 20_000, backOff: { firstMs: 1_000, maxMs: 2_000 } }), 20_000);
});

test("the delay is always within [0, cap]", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e6 }),
      fc.double({ min: 0, max: 0.999999, noNaN: true }),
      fc.string(),
      (attempt, roll, header) => {
        const askedMs = parseRetryAfter(header, 0);
        const delayMs = delay({ attempt, maxAttempts: 1e9, random: () => roll, askedMs })!;
        assert.ok(delayMs >= 0 && delayMs <= 60_000);
      },
    ),
  );
});
