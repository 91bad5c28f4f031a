import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TrawlError } from "../errors.ts";
import { findConnectTo, parseConnectTo } from "./connect-to.ts";

test("reads HOST:PORT:ADDR:PORT with any part empty", () => {
  assert.deepEqual(parseConnectTo("Example.com:443:127.0.0.1:8443"), {
    host: "example.com",
    port: 443,
    address: "127.0.0.1",
    toPort: 8443,
  });
  assert.deepEqual(parseConnectTo(":::"), { host: null, port: null, address: null, toPort: null });
  assert.deepEqual(parseConnectTo("[2001:db8::1]:80:[::1]:"), {
    host: "2001:db8::1",
    port: 80,
    address: "::1",
    toPort: null,
  });
});

test("refuses anything else with a message for the person", () => {
  for (const text of [
    "",
    "a:b:c:d",
    "a:1:b",
    "a:1:b:2:3",
    "a:70000:b:1",
    "a:0:b:1",
    "a/b:1:c:2",
    "::1:80:a:1",
    "a :1:b:2",
  ]) {
    assert.throws(() => parseConnectTo(text), TrawlError, text);
  }
});

test("the first rule that matches host and port counts", () => {
  const rules = ["a.test:443:one:", "a.test::two:", "::three:"].map(parseConnectTo);
  assert.equal(findConnectTo(rules, "A.test", 443)?.address, "one");
  assert.equal(findConnectTo(rules, "a.test", 80)?.address, "two");
  assert.equal(findConnectTo(rules, "b.test", 80)?.address, "three");
  assert.equal(findConnectTo(rules.slice(0, 2), "b.test", 80), null);
});

test("either parses or throws a TrawlError, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", ":", "[", "]", "1", ".", "/", " ") }), (text) => {
      try {
        parseConnectTo(text);
      } catch (error) {
        assert.ok(error instanceof TrawlError);
      }
    }),
  );
});
