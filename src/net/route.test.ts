import assert from "node:assert/strict";
import { test } from "node:test";
import { TrawlError } from "../errors.ts";
import { parseConnectTo } from "./connect-to.ts";
import { originOf } from "./origin.ts";
import { parseProxy, Router } from "./route.ts";

const origin = (text: string) => originOf(new URL(text));
const options = { connectTo: [], proxy: null, allowPrivate: false, trustedOrigins: [] as string[] };

test("the guard is off for trusted origins, for addresses typed in a rule, and when private is allowed", () => {
  const site = origin("https://a.test/");
  assert.equal(new Router(options).route(site).guarded, true);
  assert.equal(new Router({ ...options, allowPrivate: true }).route(site).guarded, false);
  assert.equal(new Router({ ...options, trustedOrigins: ["A.test:443"] }).route(site).guarded, false);
  assert.equal(new Router({ ...options, trustedOrigins: ["a.test:8443"] }).route(site).guarded, true);
  const rule = (text: string) => new Router({ ...options, connectTo: [parseConnectTo(text)] }).route(site);
  assert.equal(rule("a.test:443:10.0.0.1:8443").guarded, false);
  // A rule that changes the port only still goes where DNS says.
  assert.equal(rule("a.test:443::8443").guarded, true);
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
  assert.throws(() => parseProxy("socks5://proxy.test"), TrawlError);
  assert.throws(() => parseProxy("proxy.test:3128"), TrawlError);
  assert.throws(() => parseProxy("http://us%er:pass@proxy.test:3128"), { code: "BAD_CONFIG", message: /%25/ });
});
