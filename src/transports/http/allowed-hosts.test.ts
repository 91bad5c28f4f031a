import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createHostCheck, hostName, isLoopback } from "./allowed-hosts.ts";

test("a server on loopback answers to loopback's names only", () => {
  const isAllowed = createHostCheck({ bound: "127.0.0.1", names: [] });
  for (const host of ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST", "localhost."]) {
    assert.ok(isAllowed(host), host);
  }
  for (const host of [
    null,
    "",
    "evil.example:8080",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "192.168.1.5",
  ]) {
    assert.ok(!isAllowed(host), String(host));
  }
  for (const host of ["localhost:8080@evil.example", "evil.example#localhost", "localhost/..", "[::1", "::1", "a b"]) {
    assert.ok(!isAllowed(host), host);
  }
});

test("a server that others reach answers to addresses and to the names it was given", () => {
  const isAllowed = createHostCheck({ bound: "0.0.0.0", names: ["Crawler.example.com", "proxy.example:443"] });
  for (const host of ["192.168.1.5:8080", "[fd00::1]:8080", "crawler.example.com", "proxy.example"]) {
    assert.ok(isAllowed(host), host);
  }
  assert.ok(!isAllowed("evil.example"));
});

test("loopback is known in all its forms", () => {
  for (const host of ["localhost", "127.0.0.1", "127.8.8.8", "::1"]) assert.ok(isLoopback(host), host);
  for (const host of ["0.0.0.0", "::", "127.evil.example", "10.0.0.1"]) assert.ok(!isLoopback(host), host);
});

test("no header makes the parser throw, and a name never holds a port or brackets", () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const name = hostName(header);
      assert.ok(name === null || !/[\s/@[\]]/.test(name));
    }),
  );
});
