import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, type Tool } from "@modelcontextprotocol/server";
import type { App } from "../../app/app.ts";
import { TrawlError } from "../../errors.ts";
import { tokensOf } from "./model-text.ts";
import { createMcpServer } from "./server.ts";
import { AGENT_HINTS } from "./tool-error.ts";

const project = { domain: "example.com", latestCrawlId: 4 };
const started: unknown[] = [];
const app = {
  version: "1.2.3",
  projects: { list: () => [project] },
  activeCrawls: {
    start(input: unknown) {
      started.push(input);
      return { crawlId: 5, projectId: 1 };
    },
    pause() {
      throw new TrawlError("CRAWL_NOT_FOUND", "There is no crawl 99.");
    },
    stop() {
      throw new TypeError("boom\n    at somewhere (secret.ts:1)");
    },
  },
} as unknown as App;

const client = new Client({ name: "test", version: "1" });
let tools: Tool[];
before(async () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createMcpServer(app).connect(far);
  await client.connect(near);
  tools = (await client.listTools()).tools as Tool[];
});

async function call(name: string, given: Record<string, unknown>): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: given });
  return { text: (content as { text: string }[])[0]!.text, isError: isError === true };
}

test("a conversation can afford to list the tools", () => {
  assert.ok(tools.length <= 32, `${tools.length} tools`);
  const tokens = tokensOf(JSON.stringify(tools));
  assert.ok(tokens < 7_000, `${tokens} tokens`);
});

test("every tool says when to use it with an example, and what it does to the world", () => {
  for (const { name, title, description, annotations, inputSchema } of tools) {
    assert.match(description ?? "", /[Ee]xample|\{"/, name);
    assert.ok(title, name);
    // Without the hint, a tool that is not read-only counts as one that deletes.
    if (annotations?.readOnlyHint !== true) assert.equal(annotations?.destructiveHint, false, "no tool deletes");
    const properties = Object.keys(inputSchema.properties ?? {});
    assert.deepEqual(properties.slice(-2), ["cursor", "max_tokens"]);
    for (const property of properties) assert.match(property, /^[a-z_]+$/, name);
  }
  const writers = tools.filter(({ annotations }) => annotations?.readOnlyHint === false).map(({ name }) => name);
  assert.deepEqual(writers.sort(), [
    "accept_findings",
    "archive_control",
    "atproto_retry",
    "export",
    "pause_crawl",
    "resume_crawl",
    "schedules",
    "set_config",
    "start_crawl",
    "stop_crawl",
  ]);
});

test("examples in descriptions use the arguments that there are", () => {
  for (const { name, description, inputSchema } of tools) {
    for (const [example] of (description ?? "").matchAll(/\{"(?:[^{}]|\{[^{}]*\})*\}/g)) {
      const given = JSON.parse(example) as Record<string, unknown>;
      for (const key of Object.keys(given)) assert.ok(key in inputSchema.properties!, `${name}: ${key}`);
    }
  }
});

test("hints and instructions name tools that there are", () => {
  const names = new Set(tools.map(({ name }) => name));
  const texts = [...Object.values(AGENT_HINTS), client.getInstructions() ?? ""];
  for (const [, named] of texts.join("\n").matchAll(/`([a-z]+_[a-z]+|why|reference|sql)`/g))
    assert.ok(names.has(named!), named);
  for (const named of ["list_projects", "crawl_status", "query_urls", "page_text"])
    assert.ok(texts.at(-1)!.includes(named));
});

test("an error names its code, what to do and what there is", async () => {
  const { text, isError } = await call("pause_crawl", { crawl_id: 99 });
  assert.ok(isError);
  assert.match(text, /^error CRAWL_NOT_FOUND: There is no crawl 99\.\nWhat to do: .*list_projects/);
  assert.match(text, /Latest crawls: 4 \(example\.com\)\./);
});

test("an unforeseen error shows no stack", async () => {
  const { text, isError } = await call("stop_crawl", { crawl_id: 1 });
  assert.ok(isError);
  assert.match(text, /^error INTERNAL: .*boom/);
  assert.doesNotMatch(text, /secret\.ts/);
});

test("wrong arguments are told with the right ones", async () => {
  const { text, isError } = await call("query_urls", { crawl: 1, filters: ["status>=400"] });
  assert.ok(isError);
  assert.match(text, /filters: there is no such argument; did you mean filter\?/);
  assert.match(text, /crawl_id: missing/);
});

test("a crawl begins with the settings that were given and no others", async () => {
  const result = await client.callTool({
    name: "start_crawl",
    arguments: { url: "example.com", settings: { maxUrls: 9 } },
  });
  const { crawl_id, project_id } = result.structuredContent as Record<string, unknown>;
  assert.deepEqual([crawl_id, project_id], [5, 1]);
  assert.deepEqual(started, [{ url: "example.com", settings: { maxUrls: 9 }, since: null }]);
});

test("prompts take their argument as one line", async () => {
  const { messages } = await client.getPrompt({ name: "why_missing", arguments: { url: "https://example.com/\n\nx" } });
  assert.match((messages[0]!.content as { text: string }).text, /^Why is https:\/\/example\.com\/ x not among/);
});
