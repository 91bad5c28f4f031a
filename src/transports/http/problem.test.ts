import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS, type ErrorCode, TrawlError } from "../../errors.ts";
import { InputError, methodNotAllowed, problemOf, problemResponse, statusOf } from "./problem.ts";

test("each kind of error has its status", () => {
  const expected: Partial<Record<ErrorCode, number>> = {
    BAD_URL: 422,
    BAD_CONFIG: 422,
    BAD_USAGE: 422,
    BAD_INPUT: 422,
    CRAWL_NOT_FOUND: 404,
    SCHEDULE_NOT_FOUND: 404,
    URL_NOT_IN_CRAWL: 404,
    PATH_NOT_FOUND: 404,
    METHOD_NOT_ALLOWED: 405,
    CRAWL_BUSY: 409,
    FOLLOW_BUSY: 409,
    CRAWL_ENDED: 409,
    ROBOTS_DISALLOWED: 422,
    PAGE_NOT_FETCHED: 502,
    DISK_FULL: 507,
    BODY_TOO_LARGE: 413,
    BODY_NOT_JSON: 415,
    TOO_MANY_REQUESTS: 429,
    SERVER_BUSY: 503,
    BROWSER_NOT_FOUND: 422,
    STORE_FAILED: 500,
    INTERNAL: 500,
  };
  for (const [code, status] of Object.entries(expected)) assert.equal(statusOf(code as ErrorCode), status, code);
  for (const code of Object.keys(ERRORS) as ErrorCode[])
    assert.ok(statusOf(code) >= 400 && statusOf(code) <= 507, code);
});

test("an error that nobody foresaw says nothing of the inside", async () => {
  const response = problemResponse(new Error("secret at /home/me/file.ts:3"));
  assert.equal(response.status, 500);
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  const text = await response.text();
  assert.equal((JSON.parse(text) as { code: string }).code, "INTERNAL");
  assert.doesNotMatch(text, /secret|file\.ts/);
});

test("a database that fails in the middle of an answer is named as that", () => {
  const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
  const { code, detail } = problemOf(full);
  assert.equal(code, "STORE_FAILED");
  assert.match(detail, /data folder .* database or disk is full/);
});

test("a problem names what was wrong here, what to do, and each wrong value", () => {
  const { status, code, detail, hint } = problemOf(new TrawlError("CRAWL_NOT_FOUND", "There is no crawl 7."));
  assert.deepEqual([status, code, detail], [404, "CRAWL_NOT_FOUND", "There is no crawl 7."]);
  assert.match(hint, /Each project lists its crawls/);
  assert.equal(problemOf(new TrawlError("BAD_SQL")).hint, ERRORS.BAD_SQL.hint);
  const { problems, errors, detail: all } = problemOf(new InputError([{ path: "limit", message: "too large" }]));
  assert.deepEqual(problems, [{ path: "limit", message: "too large" }]);
  assert.equal(errors, problems, "until version 0.3");
  assert.equal(all, "limit: too large");
});

test("what a caller can fix is not answered with commands to type", () => {
  for (const code of ["BAD_USAGE", "BAD_CONFIG", "PROJECT_NOT_FOUND", "URL_NOT_IN_CRAWL", "BAD_SCHEDULE"] as const)
    assert.doesNotMatch(problemOf(new TrawlError(code)).hint, /`trawl|--/, code);
});

test("a wrong method is told the right ones", () => {
  const { status, headers } = methodNotAllowed(["get", "delete"]);
  assert.equal(status, 405);
  assert.equal(headers.get("allow"), "GET, DELETE, HEAD");
});
