/** MCP clients, as agents use them: the SDK's client, over `trawl mcp` in a separate process or over HTTP. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const PROGRAM = fileURLToPath(new URL("../../bin/trawl.js", import.meta.url));

/** Settings that end the demo site's traps soon. */
export const TRAP_LIMITS = { maxUrlsPerPattern: 30, maxQueryVariants: 30 };

export interface Said {
  text: string;
  isError: boolean;
  structured: Record<string, unknown> | undefined;
}

export class Agent {
  readonly client: Client;
  /** Every tool that was called. */
  readonly called = new Set<string>();

  constructor(options: ClientOptions = {}) {
    this.client = new Client({ name: "test", version: "1" }, options);
  }

  async call(name: string, given: Record<string, unknown> = {}): Promise<Said> {
    this.called.add(name);
    const { content, isError, structuredContent } = await this.client.callTool({ name, arguments: given });
    const [block, ...others] = content as { type: string; text: string }[];
    if (block?.type !== "text" || others.length > 0) throw new Error(`${name} did not answer with text`);
    return { text: block.text, isError: isError === true, structured: structuredContent as Said["structured"] };
  }

  /** The text of an answer that is not an error. */
  async ask(name: string, given: Record<string, unknown> = {}): Promise<string> {
    const { text, isError } = await this.call(name, given);
    if (isError) throw new Error(`${name}: ${text}`);
    return text;
  }

  /** Starts a crawl and waits for its end. */
  async crawl(url: string, settings: Record<string, unknown> = {}): Promise<number> {
    const { structured, text } = await this.call("start_crawl", { url, settings });
    const id = structured?.["crawl_id"];
    if (typeof id !== "number") throw new Error(text);
    const status = await this.ask("crawl_status", { crawl_id: id, wait_seconds: 60 });
    if (!status.includes("is completed")) throw new Error(status);
    return id;
  }
}

export class StdioAgent extends Agent {
  readonly transport: StdioClientTransport;
  /** Everything that the program wrote to stderr, once it has ended. */
  readonly log: Promise<string>;

  constructor(home: string, options: ClientOptions = {}) {
    super(options);
    this.transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, "mcp", "--allow-private"],
      env: { ...(process.env as Record<string, string>), TRAWL_HOME: home, TRAWL_NO_UPDATE_CHECK: "1" },
      stderr: "pipe",
    });
    this.log = text(this.transport.stderr as Readable);
  }

  connect(): Promise<void> {
    return this.client.connect(this.transport);
  }
}

export async function httpAgent(
  { url, token }: { url: string; token: string },
  options: ClientOptions = {},
): Promise<Agent> {
  const agent = new Agent(options);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await agent.client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));
  return agent;
}

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "trawl-mcp-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The cells of the rows of an answer's tables, by the names of their columns. */
export function rowsOf(answer: string): Record<string, string>[] {
  const lines = answer.split("\n");
  const begin = lines.findIndex((line) => line.startsWith("# "));
  let columns: string[] = [];
  return lines.slice(begin).flatMap((line, index, all) => {
    if (line.startsWith("# ") || line.startsWith("</")) return [];
    if (all[index - 1]?.startsWith("# ")) {
      columns = line.split("\t");
      return [];
    }
    return [Object.fromEntries(line.split("\t").map((cell, column) => [columns[column]!, cell]))];
  });
}
