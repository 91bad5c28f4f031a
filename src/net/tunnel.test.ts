import assert from "node:assert/strict";
import { createServer, request as forward } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { before, type TestContext, test } from "node:test";
import { parseConnectTo } from "./connect-to.ts";
import { type Certificate, makeCertificate } from "./testing/certificate.ts";
import { fails } from "./testing/fails.ts";
import { testClient } from "./testing/options.ts";
import { serveHttp, serveHttps } from "./testing/servers.ts";

let certificate: Certificate;
before(async () => {
  certificate = await makeCertificate();
});

/** A proxy that sends every host to loopback and writes down what it was asked. */
async function startProxy(t: TestContext, password: string | null = null) {
  const asked: string[] = [];
  const allowed = (header: string | undefined) => password === null || header === `Basic ${btoa(`user:${password}`)}`;
  const proxy = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    if (!allowed(incoming.headers["proxy-authorization"])) return response.writeHead(407).end();
    const target = new URL(incoming.url!);
    const onward = forward({ host: "127.0.0.1", port: target.port, path: target.pathname, headers: incoming.headers });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onward.end();
  });
  proxy.on("connect", (incoming, socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    socket.on("error", () => {});
    if (!allowed(incoming.headers["proxy-authorization"])) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const far = connect(Number(incoming.url!.split(":").at(-1)), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      far.pipe(socket).pipe(far);
    });
    far.on("error", () => socket.destroy());
    t.after(() => far.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { asked, port: (proxy.address() as AddressInfo).port };
}

test("https goes through a tunnel, http is forwarded, names are the proxy's to resolve", async (t) => {
  const proxy = await startProxy(t);
  const plain = await serveHttp(t, (request, response) => response.end(`plain ${request.headers.host}`));
  const secure = await serveHttps(t, certificate, (request, response) =>
    response.end(`secure ${request.headers.host}`),
  );
  const client = testClient(t, {
    proxy: `http://127.0.0.1:${proxy.port}`,
    ca: certificate.ca,
    allowPrivate: false,
    lookup: () => assert.fail("no name needs looking up"),
  });
  const first = await client.fetch({ url: `https://site.test:${secure.port}/a` });
  assert.equal(first.body.toString(), `secure site.test:${secure.port}`);
  assert.equal(first.remoteAddress, null);
  assert.ok(first.timings.connect > 0 && first.timings.tls > 0);
  const second = await client.fetch({ url: `http://site.test:${plain.port}/b?c` });
  assert.equal(second.body.toString(), `plain site.test:${plain.port}`);
  assert.deepEqual(proxy.asked, [`CONNECT site.test:${secure.port}`, `GET http://site.test:${plain.port}/b?c`]);
  await client.destroy();
  assert.equal(client.openSockets(), 0);
});

test("the proxy's password goes to the proxy, in both ways, and not to the site", async (t) => {
  const proxy = await startProxy(t, "secret");
  const secure = await serveHttps(t, certificate, (request, response) => {
    response.end(String(request.headers["proxy-authorization"]));
  });
  const plain = await serveHttp(t, (_request, response) => response.end("ok"));
  const client = testClient(t, { proxy: `http://user:secret@127.0.0.1:${proxy.port}`, ca: certificate.ca });
  assert.equal((await client.fetch({ url: secure.origin })).body.toString(), "undefined");
  assert.equal((await client.fetch({ url: plain.origin })).body.toString(), "ok");
});

test("a proxy that refuses, or is not there, is its own error", async (t) => {
  const proxy = await startProxy(t, "secret");
  const server = await serveHttp(t, (_request, response) => response.end("ok"));
  const refused = testClient(t, { proxy: `http://127.0.0.1:${proxy.port}` });
  const tunnel = await fails(refused.fetch({ url: `https://site.test:${server.port}/` }), "proxy_failed");
  assert.equal(tunnel.detail, "status 407");
  await fails(refused.fetch({ url: server.origin }), "proxy_failed");
  const absent = testClient(t, { proxy: "http://127.0.0.1:1" });
  await fails(absent.fetch({ url: server.origin }), "proxy_failed");
  assert.equal(server.requests, 0);
});

test("private addresses written in the URL are refused behind a proxy too", async (t) => {
  const proxy = await startProxy(t);
  const client = testClient(t, { proxy: `http://127.0.0.1:${proxy.port}`, allowPrivate: false });
  for (const host of ["127.0.0.1", "[::1]", "169.254.169.254", "localhost", "a.localhost"]) {
    await fails(client.fetch({ url: `http://${host}/` }), "private_address");
    await fails(client.fetch({ url: `https://${host}/` }), "private_address");
  }
  assert.deepEqual(proxy.asked, []);
});

test("a connect-to rule is the tunnel's end, for http as well", async (t) => {
  const proxy = await startProxy(t);
  const server = await serveHttp(t, (request, response) => response.end(request.headers.host));
  const client = testClient(t, {
    proxy: `http://127.0.0.1:${proxy.port}`,
    connectTo: [parseConnectTo(`site.test:80:elsewhere.test:${server.port}`)],
  });
  assert.equal((await client.fetch({ url: "http://site.test/" })).body.toString(), "site.test");
  assert.deepEqual(proxy.asked, [`CONNECT elsewhere.test:${server.port}`]);
});
