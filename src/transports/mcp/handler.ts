/** MCP over streamable HTTP: one function from request to response, which the HTTP server mounts behind its own checks. */
import { createMcpHandler as createHandler } from "@modelcontextprotocol/server";
import type { App } from "../../app/app.ts";
import { createMcpServer } from "./server.ts";

export interface McpHandler {
  (request: Request): Promise<Response>;
  /** Ends calls that wait, so that the server can close. */
  close(): Promise<void>;
}

/** Token, Host and Origin are the mounting server's business: nothing is checked here. */
export function createMcpHandler(app: App): McpHandler {
  const handler = createHandler(() => createMcpServer(app));
  return Object.assign((request: Request) => handler.fetch(request), { close: handler.close });
}
