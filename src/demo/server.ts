/** Serves the demo site on loopback, with conditional requests, compression and a request log. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type LoopbackOptions, type LoopbackServer, listenOnLoopback } from "./loopback.ts";
import type { Resource } from "./resource.ts";
import { buildDemoSite, type DemoSite } from "./site.ts";

export interface RequestLog {
  method: string;
  /** Path and query as received. */
  target: string;
  status: number;
  userAgent: string;
  /** When it arrived, by performance.now(). */
  at: number;
}

export interface DemoSiteOptions extends LoopbackOptions {
  /** How the slow page waits. */
  delay?: (milliseconds: number) => Promise<unknown>;
}

export interface RunningDemoSite {
  /** The origin with a slash at the end: the home page. */
  url: string;
  /** Every request so far, in the order of arrival. */
  requests(): RequestLog[];
  openSockets(): number;
  close(): Promise<void>;
}

export async function startDemoSite(options: DemoSiteOptions = {}): Promise<RunningDemoSite> {
  const log: RequestLog[] = [];
  const delay = options.delay ?? sleep;
  // Pages contain the port, which is known only once the server listens.
  let site: DemoSite | undefined;
  const server: LoopbackServer = await listenOnLoopback((request, response) => {
    site ??= buildDemoSite(server.url);
    void answer(site, request, response, log, delay);
  }, options);
  return {
    url: `${server.url}/`,
    requests: () => [...log],
    openSockets: server.openSockets,
    close: server.close,
  };
}

async function answer(
  site: DemoSite,
  request: IncomingMessage,
  response: ServerResponse,
  log: RequestLog[],
  delay: (milliseconds: number) => Promise<unknown>,
): Promise<void> {
  const method = request.method ?? "GET";
  const target = request.url ?? "/";
  const userAgent = request.headers["user-agent"] ?? "";
  const entry: RequestLog = { method, target, status: 0, userAgent, at: performance.now() };
  log.push(entry);
  if (method !== "GET" && method !== "HEAD") {
    entry.status = 405;
    response.writeHead(405, { allow: "GET, HEAD" }).end();
    return;
  }
  const found = site.resolve(target);
  if (found.delayMs) await delay(found.delayMs);
  if (isUnchanged(request, found)) {
    entry.status = 304;
    response.writeHead(304, { etag: found.headers["etag"], "last-modified": found.headers["last-modified"] }).end();
    return;
  }
  entry.status = found.status;
  const gzipped = acceptsGzip(request) ? found.gzipped : undefined;
  const body = gzipped ?? found.body;
  const headers: Record<string, string | number> = { ...found.headers, "content-length": body.length };
  if (gzipped) headers["content-encoding"] = "gzip";
  response.writeHead(found.status, headers).end(method === "HEAD" ? undefined : body);
}

/** If-Modified-Since counts only without If-None-Match (RFC 9110, 13.2.2). */
function isUnchanged(request: IncomingMessage, found: Resource): boolean {
  const { etag, "last-modified": lastModified } = found.headers;
  if (!etag || !lastModified) return false;
  const tags = request.headers["if-none-match"];
  if (tags !== undefined) {
    const bare = etag.replace(/^W\//, "");
    return tags.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === bare);
  }
  const since = request.headers["if-modified-since"];
  return since !== undefined && Date.parse(since) >= Date.parse(lastModified);
}

function acceptsGzip(request: IncomingMessage): boolean {
  const offers = String(request.headers["accept-encoding"] ?? "").split(",");
  return offers.some((offer) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(offer));
}
