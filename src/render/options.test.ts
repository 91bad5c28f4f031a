import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createProxy, request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parseConnectTo } from "../net/connection/route.ts";
import type { RendererOptions } from "./contract.ts";
import { tabRules } from "./tab.ts";
import { launch, needsBrowser, page } from "./testing/browser.ts";
import { type PageServer, servePages } from "./testing/page-server.ts";

const FETCHES = "<body><script>fetch('/data').then(() => document.body.append('reached'), () => {})</script>";

describe("the renderer's options", needsBrowser, () => {
  let server: PageServer;

  before(async () => {
    server = await servePages();
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function renderOnce(options: Partial<RendererOptions>, url: string, html: string) {
    const renderer = await launch(options);
    try {
      return await renderer.render(page(url, html));
    } finally {
      await renderer.close();
    }
  }

  it("sends headers to the page's own origin, secrets only where they belong, the user agent to all", async () => {
    const other = await servePages();
    const secrets = { "X-Key": "key", Authorization: "Basic x", Cookie: "session=1; theme=dark" };
    const renderer = await launch({
      headers: { "X-Lang": "fr" },
      secrets: new Map([[server.origin, secrets]]),
      userAgent: "TrawlTest/2",
    });
    try {
      const html = `<script src=${server.origin}/shared.js></script><script src=${other.origin}/shared.js></script>`;
      const got = (from: PageServer) => {
        const headers = from.headersOf("/shared.js") ?? {};
        // An empty Cookie header says as much as none.
        return [
          headers["x-lang"],
          headers["x-key"],
          headers.authorization,
          headers.cookie || undefined,
          headers["user-agent"],
        ];
      };
      await renderer.render(page(`${server.origin}/start`, html));
      assert.deepEqual(got(server), ["fr", "key", "Basic x", "session=1; theme=dark", "TrawlTest/2"]);
      // Another port of the same host, to which browsers send a host's cookies.
      assert.deepEqual(got(other), [undefined, undefined, undefined, undefined, "TrawlTest/2"]);
      await renderer.render(page(`${other.origin}/start`, html.replaceAll("shared.js", "shared.js?2")));
      assert.equal(other.headersOf("/shared.js?2")?.["x-lang"], "fr");
      assert.equal(other.headersOf("/shared.js?2")?.["x-key"], undefined);
      assert.equal(other.headersOf("/shared.js?2")?.authorization, undefined);
      assert.equal(other.headersOf("/shared.js?2")?.cookie, undefined);
      assert.equal(server.headersOf("/shared.js?2")?.authorization, undefined);
    } finally {
      await renderer.close();
      await other[Symbol.asyncDispose]();
    }
  });

  it("takes the headers back when the request is sent on to another origin", async () => {
    const other = await servePages();
    const own = await servePages({
      "/hop.js": (_request, response) => response.writeHead(302, { Location: `${other.origin}/after.js` }).end(),
    });
    try {
      const secrets = new Map([[own.origin, { "X-Key": "key", Authorization: "Basic x", Cookie: "a=1" }]]);
      await renderOnce({ secrets }, `${own.origin}/start`, "<script src=/hop.js></script>");
      assert.equal(own.headersOf("/hop.js")?.authorization, "Basic x");
      const after = other.headersOf("/after.js");
      assert.deepEqual(
        [after !== undefined, after?.["x-key"], after?.authorization, after?.cookie || undefined],
        [true, undefined, undefined, undefined],
      );
    } finally {
      await own[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    }
  });

  it("asks about every hop before it goes out", async () => {
    const inner = await servePages();
    const outer = await servePages({
      "/hop.js": (_request, response) => response.writeHead(302, { Location: `${inner.origin}/inner.js` }).end(),
    });
    try {
      const result = await renderOnce(
        { blockUrl: async (url) => url.startsWith(inner.origin) },
        `${outer.origin}/start`,
        "<script src=/hop.js></script>",
      );
      assert.deepEqual([outer.seen, inner.seen], [["GET /hop.js"], []]);
      assert.deepEqual(
        result.requests.map(({ status, blocked }) => [status, blocked]),
        [
          [302, false],
          [null, true],
        ],
      );
    } finally {
      await outer[Symbol.asyncDispose]();
      await inner[Symbol.asyncDispose]();
    }
  });

  it("connects to the configured address, under the page's own name", async () => {
    const { port } = new URL(server.origin);
    const result = await renderOnce(
      { connectTo: [parseConnectTo(`named.test:80:127.0.0.1:${port}`)] },
      "http://named.test/start",
      FETCHES,
    );
    assert.match(result.html, /reached<\/body>/);
    assert.equal(server.headersOf("/data")?.host, "named.test");
  });

  it("goes through a proxy that wants a password", async () => {
    const wanted = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    const proxied: string[] = [];
    const proxy = createProxy((incoming, outgoing) => {
      if (incoming.headers["proxy-authorization"] !== wanted) {
        outgoing.writeHead(407, { "Proxy-Authenticate": 'Basic realm="x"' }).end();
        return;
      }
      proxied.push(incoming.url ?? "");
      request(server.origin + new URL(incoming.url ?? "").pathname, (answer) => answer.pipe(outgoing)).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = proxy.address() as AddressInfo;
      const result = await renderOnce(
        { proxy: `http://me:p%40ss@127.0.0.1:${port}` },
        "http://far.test/start",
        FETCHES,
      );
      assert.match(result.html, /reached<\/body>/);
      assert.deepEqual(proxied, ["http://far.test/data"]);
    } finally {
      proxy.close();
      proxy.closeAllConnections();
    }
  });

  it("trusts a certificate only when told to", { skip: !hasOpenssl() && "needs openssl" }, async () => {
    const { server: secure, certificate } = await serveSecurely();
    try {
      const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}/start`;
      const distrusting = await renderOnce({}, url, FETCHES);
      assert.doesNotMatch(distrusting.html, /reached<\/body>/);
      assert.match(distrusting.requests[0]?.failed ?? "", /ERR_CERT/);
      assert.match((await renderOnce({ ca: certificate }, url, FETCHES)).html, /reached<\/body>/);
      assert.match((await renderOnce({ insecure: true }, url, FETCHES)).html, /reached<\/body>/);
    } finally {
      secure.close();
      secure.closeAllConnections();
    }
  });
});

describe("tabRules", () => {
  const options: RendererOptions = { executablePath: "/b", tabs: 1, userAgent: "t" };

  it("fills in the defaults, for null too", () => {
    const rules = tabRules({ ...options, settleMs: undefined, proxy: null }, null);
    assert.deepEqual([rules.limits.settleMs, rules.proxyServer], [500, null]);
    assert.deepEqual([...rules.blockTypes], ["image", "media", "font"]);
  });

  it("tells cookies and the browser's own headers from the others", () => {
    const rules = tabRules(
      {
        ...options,
        secrets: new Map([
          ["https://a.test", { cookie: "a=1; b=x=y", "User-Agent": "u", "X-Key": "k", Authorization: "a" }],
        ]),
      },
      null,
    );
    const { headers, cookies } = rules.secrets.get("https://a.test")!;
    assert.deepEqual(headers, { "x-key": "k", authorization: "a" });
    assert.deepEqual(cookies, [
      { name: "a", value: "1" },
      { name: "b", value: "x=y" },
    ]);
  });

  it("tells the proxy from its password, and refuses nonsense", () => {
    const { proxyServer, proxyCredentials } = tabRules({ ...options, proxy: "http://u:p%3A@h.test:3128" }, null);
    assert.deepEqual([proxyServer, proxyCredentials], ["http://h.test:3128", { username: "u", password: "p:" }]);
    for (const proxy of ["nonsense", "ftp://h.test"]) {
      assert.throws(() => tabRules({ ...options, proxy }, null), { code: "BAD_CONFIG" });
    }
  });
});

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"]);
    return true;
  } catch {
    return false;
  }
}

async function serveSecurely(): Promise<{ server: Server; certificate: string }> {
  const folder = mkdtempSync(join(tmpdir(), "trawl-cert-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key];
  execFileSync("openssl", ["req", "-x509", ...newKey, "-out", cert, "-days", "2", ...subject], { stdio: "ignore" });
  const certificate = readFileSync(cert, "utf8");
  const server = createServer({ key: readFileSync(key), cert: certificate }, (_request, response) =>
    response.end("{}"),
  );
  rmSync(folder, { recursive: true });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, certificate };
}
