/** MCP over stdin and stdout: for clients that start Trawl themselves. Stdout carries the protocol and nothing else. */
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { App } from "../../app/app.ts";
import { createMcpServer } from "./server.ts";

export interface StdioOptions {
  stdin: Readable;
  stdout: Writable;
  /** Aborted when the process is asked to end. */
  signal: AbortSignal;
  /** A line for the log. */
  log(line: string): void;
}

/** Serves one client; resolves when it went away or `signal` said so. The app stays open. */
export async function serveMcpOnStdio(app: App, { stdin, stdout, signal, log }: StdioOptions): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const transport = new StdioServerTransport(stdin, stdout);
  const handle = serveStdio(() => createMcpServer(app), { transport, onerror: (error) => log(error.message) });
  const end = () => ended.resolve();
  stdin.once("end", end).once("close", end);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  await ended.promise;
  signal.removeEventListener("abort", end);
  await handle.close();
}
