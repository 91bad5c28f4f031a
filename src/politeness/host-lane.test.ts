import assert from "node:assert/strict";
import { test } from "node:test";
import { FETCH_ERRORS, FetchError, type FetchErrorCode } from "../net/fetch-errors.ts";
import { fakeResponse } from "../net/testing/fake-client.ts";
import { laneSignal } from "./host-lane.ts";

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
