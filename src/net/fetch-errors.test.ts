import assert from "node:assert/strict";
import { test } from "node:test";
import { classifyError, classifyTlsError, FETCH_ERRORS, FetchError, type FetchErrorCode } from "./fetch-errors.ts";

test("every entry says what happened and what to do", () => {
  for (const [code, { message, hint }] of Object.entries(FETCH_ERRORS)) {
    assert.match(code, /^[a-z]+(?:_[a-z]+)*$/);
    assert.match(message, /^[A-Z].*\.$/);
    assert.match(hint, /^[A-Z].*\.$/);
    const error = new FetchError(code as FetchErrorCode, "detail");
    assert.equal(error.message, `${message} (detail)`);
  }
});

test("system errors become codes", () => {
  const of = (code: string) => classifyError(Object.assign(new Error("x"), { code })).code;
  assert.equal(of("ENOTFOUND"), "dns_not_found");
  assert.equal(of("EAI_AGAIN"), "dns_failed");
  assert.equal(of("ECONNREFUSED"), "connect_refused");
  assert.equal(of("ENETUNREACH"), "connect_failed");
  assert.equal(of("UND_ERR_HEADERS_OVERFLOW"), "too_many_headers");
  assert.equal(of("ERR_HTTP2_ERROR"), "bad_response");
  assert.equal(of("SOMETHING_NEW"), "failed");
  assert.equal(classifyError("no error at all").code, "failed");
});

test("of several addresses that failed, the first speaks", () => {
  const one = (code: string) => Object.assign(new Error(code), { code });
  const all = new AggregateError([one("ENETUNREACH"), one("ECONNREFUSED")]);
  assert.equal(classifyError(all).code, "connect_failed");
});

test("what a library asserts is not shown; the answer was not valid", () => {
  const { code, detail } = classifyError(Object.assign(new Error("false == true"), { code: "ERR_ASSERTION" }));
  assert.deepEqual([code, detail], ["bad_response", null]);
});

test("OpenSSL's names are TLS failures, broken connections are not", () => {
  const of = (code: string) => classifyTlsError(Object.assign(new Error("x"), { code }));
  assert.equal(of("CERT_HAS_EXPIRED").code, "tls_failed");
  assert.equal(of("CERT_HAS_EXPIRED").detail, "CERT_HAS_EXPIRED");
  assert.equal(of("ERR_SSL_WRONG_VERSION_NUMBER").code, "tls_failed");
  assert.equal(of("ECONNRESET").code, "reset");
});
