import assert from "node:assert/strict";
import { createServer, request as forward } from "node:http";
import { type AddressInfo, connect, Socket, type TcpNetConnectOpts } from "node:net";
import { before, type TestContext, test } from "node:test";
import { HttpClient, type ResolvedAddress } from "../client.ts";
import { type Certificate, makeCertificate } from "../testing/certificate.ts";
import { fails } from "../testing/fails.ts";
import { testClient, testOptions } from "../testing/options.ts";
import { serveHttp, serveHttps, serveTcp } from "../testing/servers.ts";
import { until } from "../testing/until.ts";
import { TrustedHosts } from "./address-guard.ts";
import { parseConnectTo } from "./route.ts";

let certificate: Certificate;
before(async () => {
  certificate = await makeCertificate();
});

const v4 = (address: string): ResolvedAddress => ({ address, family: 4 });
const toLoopback = async () => [v4("127.0.0.1")];

/** A dial that writes down where it was sent, and goes to loopback. */
function recordingDial() {
  const dialled: string[] = [];
  const dial = (options: TcpNetConnectOpts) => {
    dialled.push(options.host!);
    return connect({ ...options, host: "127.0.0.1" });
  };
  return { dialled, dial };
}

test("each phase of a secure connection is timed, and the session is used again", async (t) => {
  const server = await serveHttps(t, certificate, (_request, response) => {
    response
      .setHeader("connection", "close")
      .end(String((response.socket as unknown as { isSessionReused(): boolean }).isSessionReused()));
  });
  const client = testClient(t, {
    ca: certificate.ca,
    lookup: async () => {
      await new Promise(setImmediate);
      return [v4("127.0.0.1")];
    },
  });
  const first = await client.fetch({ url: `https://site.test:${server.port}/` });
  assert.ok(first.timings.dns > 0 && first.timings.connect > 0 && first.timings.tls > 0);
  assert.equal(first.body.toString(), "false");
  const second = await client.fetch({ url: `https://site.test:${server.port}/` });
  assert.equal(second.timings.dns, 0, "the name is still known");
  assert.equal(second.body.toString(), "true");
});

test("names and connections that fail say how", async (t) => {
  const code = (name: string) => () => Promise.reject(Object.assign(new Error(name), { code: name }));
  await fails(testClient(t, { lookup: code("ENOTFOUND") }).fetch({ url: "http://gone.test/" }), "dns_not_found");
  await fails(testClient(t, { lookup: code("EAI_AGAIN") }).fetch({ url: "http://gone.test/" }), "dns_failed");
  const server = await serveHttp(t, () => {});
  const closed = testClient(t, { dial: (options) => connect({ ...options, port: 1 }) });
  await fails(closed.fetch({ url: server.origin }), "connect_refused");
  const stuck = testClient(t, { dial: () => new Socket(), limits: { connectMs: 20 } });
  await fails(stuck.fetch({ url: server.origin }), "connect_timeout");
  await until(() => stuck.openSockets() === 0);
  const unresolved = testClient(t, { lookup: () => new Promise(() => {}), limits: { connectMs: 20 } });
  await fails(unresolved.fetch({ url: "http://slow.test/" }), "connect_timeout");
});

test("of several addresses the next is tried when one fails", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.end("ok"));
  const client = testClient(t, { lookup: async () => [{ address: "::1", family: 6 }, v4("127.0.0.1")] });
  const response = await client.fetch({ url: `http://both.test:${server.port}/` });
  assert.equal(response.remoteAddress, "127.0.0.1");
});

test("certificates that are unknown, for another name, or no TLS at all", async (t) => {
  const server = await serveHttps(t, certificate, (_request, response) => response.end("ok"));
  const unknown = await fails(testClient(t).fetch({ url: server.origin }), "tls_failed");
  assert.match(unknown.detail!, /SELF_SIGNED|UNABLE_TO/);
  const trusting = testClient(t, { ca: certificate.ca, lookup: toLoopback });
  assert.equal((await trusting.fetch({ url: server.origin })).status, 200);
  const wrong = await fails(trusting.fetch({ url: `https://wrong.test:${server.port}/` }), "tls_failed");
  assert.equal(wrong.detail, "ERR_TLS_CERT_ALTNAME_INVALID");
  assert.equal((await testClient(t, { insecure: true }).fetch({ url: server.origin })).status, 200);
  const plain = await serveHttp(t, (_request, response) => response.end());
  await fails(testClient(t).fetch({ url: `https://127.0.0.1:${plain.port}/` }), "tls_failed");
});

test("a file that holds no certificate to trust is refused at once", () => {
  for (const ca of ["", "nothing", certificate.key, certificate.ca.replace(/\n.{20}/, "\n")]) {
    assert.throws(() => new HttpClient(testOptions({ ca })), { code: "BAD_CONFIG", message: /^ca:/ });
  }
  new HttpClient(testOptions({ ca: `a comment\n${certificate.ca}${certificate.cert}` }));
});

test("a handshake that never ends has the connect limit", async (t) => {
  const server = await serveTcp(t, () => {});
  const client = testClient(t, { limits: { connectMs: 30 } });
  await fails(client.fetch({ url: `https://127.0.0.1:${server.port}/` }), "connect_timeout");
  await until(() => client.openSockets() === 0);
});

test("connect-to changes where, not whom: name, certificate and Host stay", async (t) => {
  const server = await serveHttps(t, certificate, (request, response) => {
    response.end(`${request.headers.host} ${(response.socket as unknown as { servername: string }).servername}`);
  });
  const client = testClient(t, {
    allowPrivate: false,
    ca: certificate.ca,
    connectTo: [parseConnectTo(`site.test:443:127.0.0.1:${server.port}`)],
    lookup: () => assert.fail("no name needs looking up"),
  });
  const response = await client.fetch({ url: "https://site.test/" });
  assert.equal(response.body.toString(), "site.test site.test");
});

test("private addresses are refused, by name, by number and in disguise", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.end("secret"));
  const answers: Record<string, ResolvedAddress[]> = {
    "private.test": [v4("127.0.0.1")],
    "mixed.test": [v4("93.184.216.34"), v4("10.0.0.1")],
    "mapped.test": [{ address: "::ffff:127.0.0.1", family: 6 }],
    "nat64.test": [{ address: "64:ff9b::7f00:1", family: 6 }],
    "metadata.test": [v4("169.254.169.254")],
  };
  const client = testClient(t, { allowPrivate: false, lookup: async (name) => answers[name]! });
  const hosts = [...Object.keys(answers), "127.0.0.1", "[::1]", "[::ffff:7f00:1]", "2130706433", "0x7f.1", "0"];
  for (const host of hosts) await fails(client.fetch({ url: `http://${host}:${server.port}/` }), "private_address");
  assert.equal(server.accepted, 0);
});

test("a trusted origin may be private, on its port only", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.end("ok"));
  const other = await serveHttp(t, (_request, response) => response.end("secret"));
  const client = testClient(t, {
    allowPrivate: false,
    trusted: new TrustedHosts([`intranet.test:${server.port}`]),
    lookup: toLoopback,
  });
  assert.equal((await client.fetch({ url: `http://intranet.test:${server.port}/` })).body.toString(), "ok");
  await fails(client.fetch({ url: `http://intranet.test:${other.port}/` }), "private_address");
  assert.equal(other.accepted, 0);
});

test("DNS rebinding: the address that was checked is the one dialled", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.setHeader("connection", "close").end("ok"));
  const { dialled, dial } = recordingDial();
  let asked = 0;
  let now = 0;
  const client = testClient(t, {
    allowPrivate: false,
    monotonic: () => now++ / 1_000,
    lookup: async () => [v4(asked++ === 0 ? "93.184.216.34" : "10.0.0.1")],
    dial,
  });
  const url = `http://rebind.test:${server.port}/`;
  await client.fetch({ url });
  await client.fetch({ url });
  assert.deepEqual(dialled, ["93.184.216.34", "93.184.216.34"]);
  assert.equal(asked, 1);
  // When the name is asked for again, the private answer is refused before anything is dialled.
  now += 61_000_000;
  await fails(client.fetch({ url }), "private_address");
  assert.equal(asked, 2);
  assert.equal(dialled.length, 2);
});

test("a trusted host stays where it was, whatever its name resolves to later; metadata services are never reached", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.setHeader("connection", "close").end("ok"));
  const { dialled, dial } = recordingDial();
  let now = 0;
  let addresses: ResolvedAddress[] = [];
  const client = async (first: string[]) => {
    addresses = first.map(v4);
    const trusted = new TrustedHosts([`start.test:${server.port}`, `late.test:${server.port}`]);
    const lookup = async (name: string) => {
      if (name === "late.test" && now < 60_000_000) throw Object.assign(new Error("late"), { code: "EAI_AGAIN" });
      return addresses;
    };
    const made = testClient(t, { allowPrivate: false, trusted, monotonic: () => now++ / 1_000, lookup, dial });
    await made.learnTrusted();
    return (...later: string[]) => {
      now += 61_000_000;
      addresses = later.map(v4);
      return made.fetch({ url: `http://start.test:${server.port}/` });
    };
  };
  const open = await client(["93.184.216.34"]);
  assert.equal((await open("93.184.216.99")).status, 200);
  for (const address of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0"]) {
    await fails(open(address), "private_address");
    await fails(open("93.184.216.34", address), "private_address");
  }
  const inner = await client(["10.0.0.1"]);
  assert.equal((await inner("192.168.7.7")).status, 200);
  await fails(inner("93.184.216.34"), "address_changed");
  await fails(inner("127.0.0.1"), "private_address");
  await fails(inner("169.254.169.254"), "private_address");
  const mixed = await client(["93.184.216.34", "10.0.0.1"]);
  await fails(mixed("10.0.0.1"), "private_address");
  assert.deepEqual(dialled, ["93.184.216.99", "192.168.7.7"]);
});

test("a host that could not be resolved when the crawl began must be public later", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.end("secret"));
  const late = () => Promise.reject(Object.assign(new Error("later"), { code: "EAI_AGAIN" }));
  let lookup: () => Promise<ResolvedAddress[]> = late;
  const trusted = new TrustedHosts([`late.test:${server.port}`]);
  const client = testClient(t, { allowPrivate: false, trusted, lookup: () => lookup() });
  await client.learnTrusted();
  lookup = toLoopback;
  await fails(client.fetch({ url: `http://late.test:${server.port}/` }), "private_address");
  assert.equal(server.accepted, 0);
});

test("metadata services are refused where private addresses are allowed, unless a rule names the address", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.end("ok"));
  const { dialled, dial } = recordingDial();
  const lookup = async () => [{ address: "::ffff:169.254.169.254", family: 6 }];
  const client = testClient(t, { allowPrivate: true, lookup, dial });
  for (const host of ["169.254.169.254", "[fd00:ec2::254]", "[::ffff:a9fe:a9fe]", "100.100.100.200", "inside.test"]) {
    await fails(client.fetch({ url: `http://${host}:${server.port}/` }), "private_address");
  }
  const connectTo = [parseConnectTo("169.254.169.254::169.254.169.254:")];
  const ruled = testClient(t, { allowPrivate: false, connectTo, dial });
  assert.equal((await ruled.fetch({ url: `http://169.254.169.254:${server.port}/` })).status, 200);
  assert.deepEqual(dialled, ["169.254.169.254"]);
});

test("with several addresses Node's own connect gets the checked list, not the name server", async (t) => {
  const answers = [v4("93.184.216.34"), v4("93.184.216.35")];
  const given: unknown[] = [];
  const client = testClient(t, {
    allowPrivate: false,
    lookup: async () => answers,
    dial: (options) => {
      options.lookup!("many.test", { all: true }, (_error, addresses) => given.push(addresses));
      options.lookup!("many.test", {}, (_error, address) => given.push(address));
      return new Socket();
    },
    limits: { connectMs: 20 },
  });
  await fails(client.fetch({ url: "http://many.test/" }), "connect_timeout");
  assert.deepEqual(given, [answers, "93.184.216.34"]);
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
