import assert from "node:assert/strict";
import { test } from "node:test";
import { FETCH_ERRORS, FetchError, type FetchErrorCode } from "../net/fetch-errors.ts";
import type { HttpResponse, Truncation } from "../net/http-types.ts";
import { classifyAnswer, ERROR_CLASSES, failureOfFetch, laneSignalOf } from "./error-classes.ts";

const NOW = 1_700_000_000_000;

function answer(
  status: number,
  body: unknown = "",
  headers: [string, string][] = [],
  truncated: Truncation | null = null,
) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const header = (name: string) => headers.find(([key]) => key === name)?.[1] ?? null;
  const response = { status, body: Buffer.from(text), headers, header, truncated } as unknown as HttpResponse;
  return classifyAnswer(response, 1_000, NOW);
}

const CASES: [status: number, body: unknown, expected: string][] = [
  [400, { error: "RepoNotFound", message: "x" }, "not_found"],
  [400, { error: "InvalidRequest", message: "Could not find repo for DID: did:plc:x" }, "not_found"],
  [400, { error: "RepoDeactivated" }, "deactivated"],
  [400, { error: "RepoTakendown" }, "takendown"],
  [400, { error: "RepoSuspended" }, "suspended"],
  [404, { error: "RepoNotFound" }, "not_found"],
  [404, { error: "NotFound", message: "" }, "not_found"],
  [404, "<html>nginx", "http_error"],
  [400, { error: "InvalidRequest", message: "other" }, "http_error"],
  [401, "", "http_error"],
  [302, "", "redirected"],
  [500, { error: "InternalServerError" }, "http_error"],
  [429, "", "rate_limited"],
  [400, { error: "RateLimitExceeded" }, "rate_limited"],
  [502, "", "unavailable"],
  [503, "", "unavailable"],
  [522, "", "unavailable"],
  [400, "[]", "http_error"],
  [400, "null", "http_error"],
];

for (const [status, body, expected] of CASES) {
  test(`${status} ${JSON.stringify(body)} is ${expected}`, () => assert.equal(answer(status, body)!.class, expected));
}

test("a repo is a repo, unless it was cut", () => {
  assert.equal(answer(200, "car"), null);
  assert.deepEqual(answer(200, "car", [], "length"), {
    class: "too_large",
    detail: "more than 1000 bytes",
    mayPass: true,
    forMs: null,
  });
  assert.equal(answer(200, "car", [["content-length", "123456"]], "decoded")!.detail, "123456 bytes");
  assert.equal(answer(200, "car", [], "encoding")!.class, "invalid_car");
});

test("how long a host asks to wait is what its lane hears", () => {
  const throttled = answer(429, "", [["retry-after", "7"]])!;
  assert.deepEqual(laneSignalOf(throttled), { kind: "throttled", forMs: 7_000 });
  const reset = answer(429, "", [
    ["ratelimit-remaining", "0"],
    ["ratelimit-reset", `${NOW / 1000 + 30}`],
  ])!;
  assert.deepEqual(laneSignalOf(reset), { kind: "throttled", forMs: 30_000 });
  assert.deepEqual(laneSignalOf(answer(503)!), { kind: "overloaded", forMs: null });
  assert.deepEqual(laneSignalOf(answer(400, { error: "RepoNotFound" })!), { kind: "neutral" });
});

test("a long or hostile error body costs nothing and says nothing", () => {
  assert.equal(answer(400, { error: "RepoNotFound", message: "x".repeat(20_000) })!.class, "http_error");
  assert.ok(answer(400, { error: "x".repeat(5_000) })!.detail!.length < 300);
});

test("every way a fetch can fail has a class", () => {
  const expected: Partial<Record<FetchErrorCode, string>> = {
    dns_not_found: "dns_error",
    headers_timeout: "timeout",
    too_slow: "timeout",
    reset: "connection_error",
    tls_failed: "connection_error",
    private_address: "connection_error",
    bad_encoding: "invalid_car",
  };
  for (const code of Object.keys(FETCH_ERRORS) as FetchErrorCode[]) {
    const { class: name, mayPass } = failureOfFetch(new FetchError(code));
    assert.ok(name in ERROR_CLASSES);
    if (code in expected) assert.equal(name, expected[code], code);
    if (code === "private_address" || code === "tls_failed") assert.equal(mayPass, false);
  }
});

test("what is final is what the predecessor called so, less what may pass", () => {
  const final = Object.entries(ERROR_CLASSES)
    .filter(([, { isFinal }]) => isFinal)
    .map(([name]) => name);
  assert.deepEqual(final, ["not_found", "takendown", "parse_error"]);
});
