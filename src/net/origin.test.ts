import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FetchError } from "./fetch-errors.ts";
import { originOf, parseHttpUrl, requestTarget } from "./origin.ts";

const target = (text: string) => {
  const url = parseHttpUrl(text);
  return requestTarget(url, originOf(url).key);
};

test("path and query are kept to the letter, fragment and user name are not", () => {
  assert.equal(target("https://example.com"), "/");
  assert.equal(target("https://example.com/a?b=c#d"), "/a?b=c");
  assert.equal(target("https://example.com/?"), "/?");
  assert.equal(target("https://example.com/#"), "/");
  assert.equal(target("https://user:secret@example.com:8443/a%20b"), "/a%20b");
  assert.equal(parseHttpUrl("https://user:secret@example.com/").href, "https://example.com/");
  assert.equal(parseHttpUrl("https://example.com/a#").href, "https://example.com/a");
});

test("origins have their port and plain addresses", () => {
  assert.deepEqual(originOf(new URL("https://[2001:db8::1]/x")), {
    key: "https://[2001:db8::1]",
    secure: true,
    hostname: "2001:db8::1",
    port: 443,
    hostPort: "[2001:db8::1]:443",
  });
  assert.equal(originOf(new URL("http://EXAMPLE.com:8080/")).hostPort, "example.com:8080");
});

test("other schemes and nonsense are bad URLs", () => {
  for (const text of [
    "",
    "example.com",
    "ftp://example.com/",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "http://",
  ]) {
    assert.throws(() => parseHttpUrl(text), FetchError, text);
  }
});

test("any URL gives a target that can stand in a request line", () => {
  fc.assert(
    fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (text) => {
      assert.match(target(text), /^\/[^\s#]*$/);
    }),
  );
});
