import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseConnectTo } from "../net/connection/route.ts";
import type { RendererOptions } from "./contract.ts";
import { launchArguments, resolverRule } from "./launch-arguments.ts";

const options: RendererOptions = { executablePath: "/b", tabs: 1, userAgent: "Trawl/1 (+https://a.test)" };
const place = { userDataDir: "/tmp/x", root: false, proxyServer: null };

describe("launchArguments", () => {
  it("keeps the sandbox unless root", () => {
    assert.ok(!launchArguments(options, place).includes("--no-sandbox"));
    assert.ok(launchArguments(options, { ...place, root: true }).includes("--no-sandbox"));
  });

  it("checks certificates unless told otherwise", () => {
    assert.ok(!launchArguments(options, place).some((flag) => flag.startsWith("--ignore-certificate-errors")));
    assert.ok(launchArguments({ ...options, insecure: true }, place).includes("--ignore-certificate-errors"));
  });

  it("names user agent, window and profile", () => {
    const flags = launchArguments({ ...options, viewport: { width: 412, height: 915 } }, place);
    for (const flag of ["--user-agent=Trawl/1 (+https://a.test)", "--window-size=412,915", "--user-data-dir=/tmp/x"]) {
      assert.ok(flags.includes(flag), flag);
    }
  });

  it("sends loopback through the proxy too", () => {
    const flags = launchArguments(options, { ...place, proxyServer: "http://p.test:3128" });
    assert.ok(flags.includes("--proxy-server=http://p.test:3128"));
    assert.ok(flags.includes("--proxy-bypass-list=<-loopback>"));
  });

  it("refuses a CA file without certificates", () => {
    assert.throws(() => launchArguments({ ...options, ca: "nothing" }, place), { code: "BAD_CONFIG" });
  });
});

describe("resolverRule", () => {
  for (const [rule, expected] of [
    ["a.test:443:127.0.0.1:8443", "MAP a.test:443 127.0.0.1:8443"],
    ["a.test::127.0.0.1:", "MAP a.test 127.0.0.1"],
    ["::127.0.0.1:80", "MAP * 127.0.0.1:80"],
    [":443:[::1]:8443", "MAP *:443 [::1]:8443"],
    ["a.test:80::8080", "MAP a.test:80 a.test:8080"],
  ] as const) {
    it(rule, () => assert.equal(resolverRule(parseConnectTo(rule)), expected));
  }

  it("refuses what Chromium cannot say", () => {
    assert.throws(() => resolverRule(parseConnectTo(":::8080")), { code: "BAD_CONFIG" });
  });
});
