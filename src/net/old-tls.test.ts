import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { createServer, type TlsOptions } from "node:tls";
import { makeCertificate } from "./testing/certificate.ts";
import { testClient } from "./testing/options.ts";
import { serveHttps } from "./testing/servers.ts";

const certificate = makeCertificate();
const never = new AbortController().signal;

async function accepts(t: TestContext, versions: TlsOptions): Promise<boolean | null> {
  const { key, cert } = await certificate;
  const server = createServer({ key, cert, ...versions }).listen(0, "127.0.0.1");
  server.on("tlsClientError", () => {});
  t.after(() => server.close());
  await once(server, "listening");
  const client = testClient(t);
  const { port } = server.address() as { port: number };
  const answer = await client.acceptsOldTls(`https://127.0.0.1:${port}/`, never);
  await client.close();
  assert.equal(client.openSockets(), 0);
  return answer;
}

const OLD = { minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" } as const;

test("a server that accepts TLS 1.0 or 1.1 is found out", async (t) => {
  assert.equal(await accepts(t, OLD), true);
  assert.equal(await accepts(t, { ...OLD, maxVersion: "TLSv1.1" }), true);
  assert.equal(await accepts(t, {}), false);
  assert.equal(await accepts(t, { minVersion: "TLSv1.3" }), false);
});

test("where no host answers, and without encryption, the result is unknown", async (t) => {
  const client = testClient(t);
  assert.equal(await client.acceptsOldTls("https://127.0.0.1:1/", never), null);
  assert.equal(await client.acceptsOldTls("http://127.0.0.1:1/", never), null);
});

test("an answer names the version and the last day of the certificate", async (t) => {
  const identity = await certificate;
  const server = await serveHttps(t, identity, (_request, response) => response.end("hello"));
  const client = testClient(t, { ca: identity.ca });
  const { tls } = await client.fetch({ url: server.origin });
  assert.equal(tls?.version, "TLSv1.3");
  assert.ok(Date.parse(tls.validUntil!) > Date.now());
});
