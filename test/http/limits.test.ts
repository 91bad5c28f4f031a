/** What one client may have under way on a real server, whichever transport it uses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMcpHandler } from "../../src/transports/mcp/server.ts";
import { httpAgent } from "../mcp/agent.ts";
import { serveHeldSite } from "../mcp/held-site.ts";
import { startServing } from "./serving.ts";

test("crawls started over REST and MCP count for the same client, until they end", async () => {
  const sites = await Promise.all([serveHeldSite(), serveHeldSite(), serveHeldSite()]);
  let handler: ReturnType<typeof createMcpHandler> | null = null;
  const serving = await startServing({ limits: { crawls: 2 }, mcp: (request) => handler!(request) });
  handler = createMcpHandler(serving.app, { allowPrivate: true });
  const agent = await httpAgent(serving.server);
  const start = (at: number) =>
    serving.ask<{ crawlId: number; code: string }>("POST", "/crawl", { url: sites[at]!.url });
  try {
    const first = await start(0);
    const { structured } = await agent.call("start_crawl", { url: sites[1]!.url });
    assert.equal(typeof structured!["crawl_id"], "number");
    const refused = await start(2);
    assert.deepEqual([refused.status, refused.body.code], [429, "TOO_MANY_REQUESTS"]);
    const { text } = await agent.call("start_crawl", { url: sites[2]!.url });
    assert.match(text, /TOO_MANY_REQUESTS/);
    assert.equal((await serving.ask<{ total: number }>("GET", "/crawls")).body.total, 2);
    await serving.ask("POST", `/crawls/${first.body.crawlId}/stop`);
    assert.equal((await start(2)).status, 200);
  } finally {
    await agent.client.close();
    await handler.close();
    for (const site of sites) site.release();
    await serving.close();
    await Promise.all(sites.map((site) => site.close()));
  }
});
