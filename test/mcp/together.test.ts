/** Agents beside other processes: the same crawls at once, and a clean end. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { finished, jsonLines, linesOf, Trawl } from "../cli/trawl.ts";
import { rowsOf, StdioAgent } from "./agent.ts";
import { type HeldSite, serveHeldSite } from "./held-site.ts";

async function machine(t: TestContext): Promise<{ trawl: Trawl; site: HeldSite; home: string }> {
  const trawl = new Trawl();
  const site = await serveHeldSite();
  t.after(async () => {
    await site.close();
    trawl.remove();
  });
  return { trawl, site, home: join(trawl.folder, "home") };
}

async function connected(t: TestContext, home: string): Promise<StdioAgent> {
  const agent = new StdioAgent(home);
  t.after(() => agent.client.close());
  await agent.connect();
  return agent;
}

test("a crawl of the command line is watched, queried and stopped while it runs there, and continued here", async (t) => {
  const { trawl, site, home } = await machine(t);
  const child = trawl.start("crawl", site.url, "--json");
  t.after(() => child.kill("SIGKILL"));
  const events = linesOf(child);
  const { value: start } = await events.next();
  const crawl_id = Number(start!["id"]);
  await site.reached;
  const agent = await connected(t, home);

  assert.match(await agent.ask("crawl_status"), /^1 crawl running now\./);
  const [root] = rowsOf(await agent.ask("query_urls", { crawl_id, filter: ["depth=0"], fields: ["url", "verdict"] }));
  assert.deepEqual(root, { url: site.url, verdict: "crawl" });
  assert.match(await agent.ask("crawl_status", { crawl_id }), /is running: [\s\S]*another process/);
  const exit = once(child, "exit");
  assert.match(await agent.ask("stop_crawl", { crawl_id }), /^Crawl \d+ has stopped/);
  assert.deepEqual(await exit, [3, null]);

  site.release();
  await agent.ask("resume_crawl", { crawl_id });
  assert.match(await agent.ask("crawl_status", { crawl_id, wait_seconds: 30 }), /is completed: 2\d crawled, 0 open/);
  assert.match(await agent.ask("query_urls", { crawl_id, filter: ["status=200"], limit: 1 }), /^22 URLs/);
});

test("when the client disconnects, its crawl is paused, this is reported, and the command line can resume it", async (t) => {
  const { trawl, site, home } = await machine(t);
  const agent = await connected(t, home);
  const { structured } = await agent.call("start_crawl", { url: site.url });
  await site.reached;
  await agent.client.close();
  assert.match(
    await agent.log,
    new RegExp(`^Crawl ${structured!["crawl_id"]} is paused\\. Continue with \`trawl resume`, "m"),
  );
  site.release();
  const { code, lines } = await trawl.json("resume", String(structured!["crawl_id"]));
  assert.equal(code, 0);
  assert.equal(lines.at(-1)!["state"], "completed");
});

test("a signal ends it as the end of stdin does", async (t) => {
  const { trawl, home } = await machine(t);
  const child = trawl.start("mcp");
  await initialized(child);
  child.kill("SIGTERM");
  const { code, stderr } = await finished(child);
  assert.deepEqual([code, stderr], [0, ""], home);
});

test("stdout contains only the protocol, whatever the input", async (t) => {
  const { trawl } = await machine(t);
  const child = trawl.start("mcp");
  const ended = finished(child);
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\nnot json\n{"jsonrpc":"2.0","id":2,"method":"no/such"}\n`);
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 3, method: "tools/list" })}\n`);
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => chunk.includes('"id":3') && resolve());
  });
  child.stdin.end();
  const { code, stdout } = await ended;
  assert.equal(code, 0);
  const messages = jsonLines(stdout);
  assert.ok(messages.length >= 3);
  for (const message of messages) assert.equal(message["jsonrpc"], "2.0");
});

test("--json prints a configuration that a client can use", async (t) => {
  const { trawl } = await machine(t);
  const { stdout } = await trawl.run("mcp", "--json");
  const [printed] = jsonLines(stdout) as unknown as { mcpServers: { trawl: { command: string; args: string[] } } }[];
  const { command, args } = printed!.mcpServers.trawl;
  const child = spawn(command, args, {
    cwd: trawl.folder,
    env: { ...process.env, TRAWL_HOME: join(trawl.folder, "home") },
  });
  await initialized(child);
  child.stdin.end();
  await new Promise((resolve) => child.once("close", resolve));
});

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** Sends the opening by hand, and waits for its answer. */
function initialized(child: ChildProcess): Promise<void> {
  child.stdin!.write(`${JSON.stringify(INITIALIZE)}\n`);
  return new Promise((resolve, reject) => {
    child.once("close", () => reject(new Error("it ended before it answered")));
    child.stdout!.on("data", (chunk: Buffer) => chunk.includes('"name":"trawl"') && resolve());
  });
}
