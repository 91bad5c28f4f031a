/** A client that may not send: nothing reaches the host, and whoever stops the crawl ends the request. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { FetchPermits } from "./fetch-permits.ts";
import { fails } from "./testing/fails.ts";
import { testClient } from "./testing/options.ts";
import { serveHttp } from "./testing/servers.ts";

for (const permits of [undefined, new FetchPermits(1)]) {
  it(`sends nothing while it may not, ${permits === undefined ? "alone" : "also in a line for permits"}`, async (t) => {
    let requests = 0;
    const server = await serveHttp(t, (_, response) => {
      requests++;
      response.end("yes");
    });
    let maySend = false;
    const client = testClient(t, { permits, maySend: () => maySend });
    const stop = new AbortController();
    const held = client.fetch({ url: `${server.origin}/`, signal: stop.signal });
    maySend = true;
    stop.abort();
    await fails(held, "aborted");
    assert.equal(requests, 0);
    assert.equal((await client.fetch({ url: `${server.origin}/` })).status, 200);
    maySend = false;
    await fails(client.fetch({ url: `${server.origin}/` }), "aborted");
    assert.equal(requests, 1);
  });
}
