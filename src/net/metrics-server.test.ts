import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { test } from "node:test";
import { serveMetrics } from "./metrics-server.ts";

test("metrics are read on this machine, and not by a website that points its name at it", async (t) => {
  const server = await serveMetrics({ contentType: "text/plain", prometheus: async () => "up 1\n" }, 0);
  t.after(() => server.close());
  const ask = async (host: string, method = "GET", path = "/metrics") => {
    const asked = request({ port: server.port, host: "127.0.0.1", path, method, headers: { host } }).end();
    const [response] = await once(asked, "response");
    response.resume();
    return response.statusCode as number;
  };
  assert.equal(await ask(`127.0.0.1:${server.port}`), 200);
  assert.equal(await ask("localhost"), 200);
  for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example"])
    assert.equal(await ask(host), 403, host);
  assert.equal(await ask("localhost", "POST"), 404);
  assert.equal(await ask("localhost", "GET", "/"), 404);
});
