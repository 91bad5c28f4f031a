import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect as dial, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import type { Connect } from "./contract.ts";
import { EgressProxy } from "./egress-proxy.ts";
import { launch, needsBrowser, page } from "./testing/browser.ts";
import { json, type PageServer, servePages } from "./testing/page-server.ts";

/** As an egress guard: names are ours to resolve, and some are refused. */
function guard(server: PageServer): { connect: Connect; dialled: string[] } {
  const dialled: string[] = [];
  const connect: Connect = async (host, port) => {
    dialled.push(`${host}:${port}`);
    if (host !== "site.test") throw new Error("refused");
    const socket = dial(Number(new URL(server.origin).port), "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };
  return { connect, dialled };
}

describe("EgressProxy", () => {
  let server: PageServer;
  let proxy: EgressProxy;
  const authorization = () =>
    `Basic ${Buffer.from(`${proxy.credentials.username}:${proxy.credentials.password}`).toString("base64")}`;

  before(async () => {
    server = await servePages({ "/data": json({ a: 1 }) });
    proxy = await EgressProxy.listen(guard(server).connect);
  });
  after(async () => {
    await proxy?.close();
    await server?.[Symbol.asyncDispose]();
  });

  async function ask(path: string, headers: Record<string, string>, method = "GET"): Promise<[number, string]> {
    const asking = request(proxy.server, { path, headers, method }).end();
    const [answer] = await once(asking, "response");
    const chunks = await answer.toArray();
    return [answer.statusCode, Buffer.concat(chunks).toString()];
  }

  async function tunnel(target: string, headers: Record<string, string>): Promise<[number, Socket]> {
    const asking = request(proxy.server, { method: "CONNECT", path: target, headers }).end();
    const [answer, socket] = await once(asking, "connect");
    return [answer.statusCode, socket];
  }

  it("forwards plain requests, end to end", async () => {
    const headers = { "Proxy-Authorization": authorization(), Host: "site.test", "X-Mine": "1", Connection: "close" };
    assert.deepEqual(await ask("http://site.test/data", headers), [200, '{"a":1}']);
    assert.equal(server.headersOf("/data")?.["x-mine"], "1");
    assert.equal(server.headersOf("/data")?.["proxy-authorization"], undefined);
  });

  it("tunnels", async () => {
    const [status, socket] = await tunnel("site.test:443", { "Proxy-Authorization": authorization() });
    assert.equal(status, 200);
    socket.end("GET /data HTTP/1.0\r\n\r\n");
    assert.match(Buffer.concat(await socket.toArray()).toString(), /^HTTP\/1.1 200[\s\S]*\{"a":1\}$/);
  });

  it("serves only the browser", async () => {
    for (const headers of [{}, { "Proxy-Authorization": "Basic dHJhd2w6" }]) {
      assert.equal((await ask("http://site.test/data", headers as Record<string, string>))[0], 407);
      const [status, socket] = await tunnel("site.test:443", headers as Record<string, string>);
      socket.destroy();
      assert.equal(status, 407);
    }
  });

  it("says no when the guard does, or the target makes no sense", async () => {
    const headers = { "Proxy-Authorization": authorization() };
    assert.equal((await ask("http://internal.test/", headers))[0], 502);
    assert.equal((await ask("ftp://site.test/", headers))[0], 400);
    assert.equal((await ask("/data", headers))[0], 400);
    for (const target of ["internal.test:443", "[::1]:22", "///"]) {
      const [status, socket] = await tunnel(target, headers);
      socket.destroy();
      assert.equal(status, 502, target);
    }
  });
});

describe("rendering through a guard", needsBrowser, () => {
  it("opens every connection of the browser by the function it was given", async () => {
    const server = await servePages({ "/data": json({ word: "guarded" }) });
    const { connect, dialled } = guard(server);
    const renderer = await launch({ connect });
    try {
      const result = await renderer.render(
        page(
          "http://site.test/start",
          `<body><script>
            fetch("/data").then((answer) => answer.json()).then(({ word }) => document.body.append("is " + word));
            fetch("http://169.254.169.254/latest").catch(() => document.body.append(" refused"));
            fetch("https://internal.test/").catch(() => {});
            new WebSocket("ws://10.0.0.1:6379/");
          </script>`,
        ),
      );
      assert.match(result.html, /is guarded/);
      assert.deepEqual(server.seen, ["GET /data"]);
      for (const host of ["site.test:80", "169.254.169.254:80", "internal.test:443"]) {
        assert.ok(dialled.includes(host), host);
      }
    } finally {
      await renderer.close();
      await server[Symbol.asyncDispose]();
    }
  });
});
