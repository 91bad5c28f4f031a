/** Agents over streamable HTTP, on the real server, in both eras of the protocol. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { App } from "../../src/app/app.ts";
import { openHome } from "../../src/app/home.ts";
import { type RunningServer, startServer } from "../../src/transports/http/server.ts";
import { createMcpHandler, type McpHandler } from "../../src/transports/mcp/server.ts";
import { httpAgent, rowsOf, temporaryFolder } from "./agent.ts";
import { type HeldSite, serveHeldSite } from "./held-site.ts";

const folder = temporaryFolder();
let app: App;
let mcp: McpHandler;
let server: RunningServer;
let site: HeldSite;

before(async () => {
  site = await serveHeldSite();
  app = new App({ version: "0.0.0", home: openHome({ TRAWL_HOME: folder.path }), updateCheck: false });
  mcp = createMcpHandler(app, { allowPrivate: true });
  server = await startServer(app, { port: 0, mcp });
});
after(async () => {
  await mcp.close();
  await server.close();
  await app.close();
  await site.close();
  folder.remove();
});

test("a crawl outlives the request that started it, and progress is reported while waiting", async () => {
  const agent = await httpAgent(server);
  const { structured } = await agent.call("start_crawl", { url: site.url });
  const crawl_id = structured!["crawl_id"];
  await site.reached;
  const told: number[] = [];
  const waiting = agent.client.callTool(
    { name: "crawl_status", arguments: { crawl_id, wait_seconds: 30 } },
    { onprogress: ({ progress }) => void told.push(progress) === undefined && site.release() },
  );
  const [block] = (await waiting).content as { text: string }[];
  assert.match(block!.text, /is completed: /);
  assert.ok(told.length > 0);
  assert.deepEqual(
    told,
    told.toSorted((a, b) => a - b),
  );
  await agent.client.close();
});

for (const mode of ["legacy", "auto"] as const) {
  test(`tools, resources and prompts answer a client of the ${mode} era`, async () => {
    const agent = await httpAgent(server, { versionNegotiation: { mode } });
    const { client } = agent;
    assert.equal(rowsOf(await agent.ask("list_projects")).length, 1);
    const { resources } = await client.listResources();
    assert.ok(resources.some(({ uri }) => uri === "trawl://crawls/1"));
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      assert.ok((contents[0] as { text: string }).text.length > 20, uri);
    }
    await assert.rejects(client.readResource({ uri: "trawl://crawls/99" }), /99/);
    const { completion } = await client.complete({
      ref: { type: "ref/resource", uri: "trawl://crawls/{id}" },
      argument: { name: "id", value: "" },
    });
    assert.deepEqual(completion.values, ["1"]);
    const { prompts } = await client.listPrompts();
    assert.deepEqual(prompts.map(({ name }) => name).sort(), ["audit_site", "explain_changes", "why_missing"]);
    await client.close();
  });
}

test("the server's checks come first", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const foreign = await fetch(`${server.url}/mcp`, {
    method: "POST",
    body,
    headers: { ...headers, origin: "https://evil.example" },
  });
  assert.equal(foreign.status, 403);
  const refused = await fetch(`${server.url}/mcp`, { method: "POST", body, headers });
  assert.equal(refused.status, 401);
});

test("crawl_status waits for a crawl without its number, and says which one ended", async (t) => {
  const held = await serveHeldSite();
  t.after(() => held.close());
  const agent = await httpAgent(server);
  assert.match(await agent.ask("crawl_status", { wait_seconds: 60 }), /^0 crawls running now\./);
  const { structured } = await agent.call("start_crawl", { url: held.url });
  await held.reached;
  const { content } = await agent.client.callTool(
    { name: "crawl_status", arguments: { wait_seconds: 60 } },
    { onprogress: () => held.release() },
  );
  const { text } = (content as { text: string }[])[0]!;
  assert.match(text, new RegExp(`^Crawl ${structured!["crawl_id"]} of project \\d+ is completed: `, "m"));
  assert.match(text, /^Next: overview /m);
  await agent.client.close();
});
