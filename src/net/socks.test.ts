import assert from "node:assert/strict";
import { connect, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { parseProxy } from "./route.ts";
import { makeCertificate } from "./testing/certificate.ts";
import { fails } from "./testing/fails.ts";
import { testClient } from "./testing/options.ts";
import { serveHttp, serveHttps } from "./testing/servers.ts";

interface SocksServer {
  url: (credentials?: string) => string;
  /** `type host:port` of every connection asked for. */
  asked: string[];
}

interface Behaviour {
  /** `user:password` that it wants; null for none. */
  wants?: string | null;
  reply?: number;
  /** Sends its answers byte by byte. */
  slowly?: boolean;
}

/** A SOCKS5 server that connects every name to 127.0.0.1. */
async function serveSocks(
  t: TestContext,
  { wants = null, reply = 0, slowly = false }: Behaviour = {},
): Promise<SocksServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    const send = (bytes: number[]) => {
      if (slowly) for (const byte of bytes) socket.write(Buffer.of(byte));
      else socket.write(Buffer.from(bytes));
    };
    let step = 0;
    socket.on("data", (data) => {
      if (step === 0) {
        step = wants === null ? 2 : 1;
        send([5, wants === null ? 0 : data.subarray(2).includes(2) ? 2 : 0xff]);
      } else if (step === 1) {
        const user = data.subarray(2, 2 + data[1]!).toString();
        const password = data.subarray(3 + data[1]!).toString();
        step = 2;
        send([1, `${user}:${password}` === wants ? 0 : 1]);
      } else if (step === 2) {
        step = 3;
        const port = data.readUInt16BE(data.length - 2);
        const host = data[3] === 3 ? data.subarray(5, 5 + data[4]!).toString() : data.subarray(4, -2).join(".");
        asked.push(`${data[3]} ${host}:${port}`);
        if (reply !== 0) return void socket.end(Buffer.of(5, reply, 0, 1, 0, 0, 0, 0, 0, 0));
        const target = connect(port, "127.0.0.1", () => {
          send([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]);
          socket.pipe(target).pipe(socket);
        });
        sockets.add(target.on("error", () => socket.destroy()));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: (credentials = "") => `socks5://${credentials}127.0.0.1:${port}`, asked };
}

test("http and https go through the tunnel, and the proxy resolves the name", async (t) => {
  const plain = await serveHttp(t, (request, response) => response.end(`plain ${request.headers.host}`));
  const secure = await serveHttps(t, await makeCertificate("site.test"), (_request, response) =>
    response.end("secure"),
  );
  const socks = await serveSocks(t, { slowly: true });
  const client = testClient(t, { proxy: socks.url(), insecure: true });
  const first = await client.fetch({ url: `http://site.test:${plain.port}/` });
  assert.equal(first.body.toString(), `plain site.test:${plain.port}`);
  assert.equal(first.remoteAddress, null);
  const second = await client.fetch({ url: `https://site.test:${secure.port}/` });
  assert.equal(second.body.toString(), "secure");
  const third = await client.fetch({ url: `${plain.origin}/` });
  assert.equal(third.status, 200);
  assert.deepEqual(socks.asked, [
    `3 site.test:${plain.port}`,
    `3 site.test:${secure.port}`,
    `1 127.0.0.1:${plain.port}`,
  ]);
});

test("a user name and password are sent where they are wanted, and refused ones are said", async (t) => {
  const site = await serveHttp(t, (_request, response) => response.end("x"));
  const socks = await serveSocks(t, { wants: "me:p@ss" });
  const right = testClient(t, { proxy: socks.url("me:p%40ss@") });
  assert.equal((await right.fetch({ url: site.origin })).status, 200);
  const wrong = await fails(testClient(t, { proxy: socks.url("me:no@") }).fetch({ url: site.origin }), "proxy_failed");
  assert.match(wrong.message + wrong.detail, /password refused/);
  const none = await fails(testClient(t, { proxy: socks.url() }).fetch({ url: site.origin }), "proxy_failed");
  assert.match(none.message + none.detail, /authentication required/);
});

test("what the proxy refuses, and what is no SOCKS proxy, fails with the reason", async (t) => {
  const site = await serveHttp(t, (_request, response) => response.end("x"));
  const refusing = await serveSocks(t, { reply: 5 });
  const refused = await fails(testClient(t, { proxy: refusing.url() }).fetch({ url: site.origin }), "proxy_failed");
  assert.match(String(refused.detail), /connection refused/);
  const http = testClient(t, { proxy: site.origin.replace("http:", "socks5:") });
  const wrong = await fails(http.fetch({ url: site.origin }), "proxy_failed");
  assert.match(String(wrong.detail), /not a SOCKS5 proxy|closed/);
});

test("private addresses are refused through the proxy too", async (t) => {
  const socks = await serveSocks(t);
  const client = testClient(t, { proxy: socks.url(), allowPrivate: false });
  await fails(client.fetch({ url: "http://127.0.0.1:9/" }), "private_address");
  await fails(client.fetch({ url: "http://[::1]:9/" }), "private_address");
  assert.deepEqual(socks.asked, []);
});

test("the port of a SOCKS proxy is 1080 unless it is named; other schemes are refused", () => {
  assert.equal(parseProxy("socks5://proxy.test").origin.port, 1080);
  assert.equal(parseProxy("socks5h://[::1]:99").origin.hostname, "::1");
  for (const wrong of ["socks4://a:1", "ftp://a", "socks5://", "nonsense"]) {
    assert.throws(() => parseProxy(wrong), { code: "BAD_CONFIG" }, wrong);
  }
});
