/** The real server with a temporary data folder, and helpers for requests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "../../src/app/app.ts";
import { openHome } from "../../src/app/home.ts";
import { type RunningServer, type ServerOptions, startServer } from "../../src/transports/http/server.ts";

export interface Answer<Body> {
  status: number;
  type: string;
  body: Body;
}

export interface Serving {
  app: App;
  server: RunningServer;
  /** Internal errors of the server: a test that sees one has found a defect. */
  internal: unknown[];
  /** With the token. `path` from the root. */
  fetch(path: string, init?: { method?: string; headers?: Record<string, string>; body?: BodyInit }): Promise<Response>;
  /** With the token. `path` below /api/v1. */
  ask<Body = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<Body>>;
  /** Starts a crawl and resolves with its ids when it has ended. */
  crawl(body: Record<string, unknown>): Promise<{ crawlId: number; projectId: number }>;
  close(): Promise<void>;
}

/** `isServer`: false reads crawls of any size in this process, where a test can watch it. */
export async function startServing(
  options: Partial<ServerOptions> = {},
  isServer = true,
  postgres: string | null = null,
): Promise<Serving> {
  const folder = mkdtempSync(join(tmpdir(), "trawl-http-"));
  const home = openHome({ TRAWL_HOME: folder });
  const app = new App({ version: "1.2.3", home, postgres, updateCheck: false, isServer });
  const internal: unknown[] = [];
  const server = await startServer(app, {
    port: 0,
    // Tests ask faster than people and their scripts.
    limits: { burst: 1e9 },
    onInternalError: (error) => internal.push(error),
    ...options,
  });
  const own = { authorization: `Bearer ${server.token}` };
  const fetchOwn: Serving["fetch"] = (path, init) =>
    fetch(server.url + path, { ...init, headers: { ...own, ...init?.headers } });
  const ask: Serving["ask"] = async (method, path, body) => {
    const response = await fetchOwn(`/api/v1${path}`, {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const type = response.headers.get("content-type") ?? "";
    const text = await response.text();
    return {
      status: response.status,
      type,
      body: type.includes("json") && !type.includes("jsonl") ? JSON.parse(text) : text,
    };
  };
  return {
    app,
    server,
    internal,
    fetch: fetchOwn,
    ask,
    async crawl(body) {
      const ended = new Set<number>();
      const waiting = Promise.withResolvers<void>();
      let wanted: number | null = null;
      const unsubscribe = app.events.subscribe(({ type, crawlId }) => {
        if (type === "crawl:completed" || type === "crawl:stopped") ended.add(crawlId);
        if (wanted !== null && ended.has(wanted)) waiting.resolve();
      });
      const { status, body: started } = await ask<{ crawlId: number; projectId: number }>("POST", "/crawl", body);
      if (status !== 200) throw new Error(JSON.stringify(started));
      wanted = started.crawlId;
      if (!ended.has(wanted)) await waiting.promise;
      unsubscribe();
      return started;
    },
    async close() {
      await server.close();
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
