import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TrawlError } from "../../errors.ts";
import { originOf } from "../origin.ts";
import { TrustedHosts } from "./address-guard.ts";
import { findConnectTo, parseConnectTo, parseProxy, Router } from "./route.ts";

const origin = (text: string) => originOf(new URL(text));
const options = { connectTo: [], proxy: null, allowPrivate: false };

test("a host may have public addresses only, unless it is trusted, its address is typed in a rule, or private is allowed", () => {
  const site = origin("https://a.test/");
  const trusting = (host: string) => new Router({ ...options, trusted: new TrustedHosts([host]) }).route(site).reach;
  assert.equal(new Router(options).route(site).reach, "public");
  assert.equal(new Router({ ...options, allowPrivate: true }).route(site).reach, "internal");
  assert.equal(trusting("A.test:443"), "trusted");
  assert.equal(trusting("a.test:8443"), "public");
  const rule = (text: string) => new Router({ ...options, connectTo: [parseConnectTo(text)] }).route(site);
  assert.equal(rule("a.test:443:10.0.0.1:8443").reach, "typed");
  assert.equal(rule("a.test:443:inner.test:8443").reach, "internal");
  // A rule that changes the port only still goes where DNS says.
  assert.equal(rule("a.test:443::8443").reach, "public");
  assert.equal(rule("a.test:443::8443").port, 8443);
});

test("plain http is forwarded by a proxy, unless a rule makes a tunnel necessary", () => {
  const proxied = { ...options, proxy: "http://proxy.test:3128" };
  assert.equal(new Router(proxied).route(origin("http://a.test/")).forwarded, true);
  assert.equal(new Router(proxied).route(origin("https://a.test/")).forwarded, false);
  const connectTo = [parseConnectTo("a.test::b.test:")];
  assert.equal(new Router({ ...proxied, connectTo }).route(origin("http://a.test/")).forwarded, false);
});

test("a proxy has an address and perhaps credentials", () => {
  assert.equal(parseProxy("http://proxy.test:3128").authorization, null);
  const { authorization, origin } = parseProxy("http://us%40er:p%3Ass@proxy.test:3128");
  assert.equal(Buffer.from(authorization!.slice("Basic ".length), "base64").toString(), "us@er:p:ss");
  assert.equal(origin.hostPort, "proxy.test:3128");
  assert.deepEqual(parseProxy("socks5://me:p%3A@proxy.test").socks, {
    credentials: { username: "me", password: "p:" },
  });
  assert.throws(() => parseProxy("socks4://proxy.test"), TrawlError);
  assert.throws(() => parseProxy("proxy.test:3128"), TrawlError);
  assert.throws(() => parseProxy("http://us%er:pass@proxy.test:3128"), { code: "BAD_CONFIG", message: /%25/ });
});

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
