/** A synthetic site of N pages that records every request. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type LoopbackServer, listenOnLoopback } from "../../src/demo/loopback.ts";
import { seededRandom } from "./random.ts";

export interface CountingSiteOptions {
  port?: number;
  /** How many pages; all are reachable from the first. */
  pages?: number;
  /** Distinct pages linked from each page, at most. */
  linksPerPage?: number;
  /** How long every answer waits. */
  delayMs?: number;
  /** Sends ETag, and 304 to clients that have it. */
  etag?: boolean;
  /** After every `every` answered pages the next `burst` page requests get 429. */
  busy?: { every: number; burst: number; retryAfterSeconds: number };
  /** The text of robots.txt; without it, 404. */
  robots?: string;
  /** Filler in each page, in bytes. */
  bodyBytes?: number;
}

export interface CountedRequest {
  path: string;
  status: number;
  /** When it arrived, by performance.now(). */
  at: number;
}

export interface CountingSite {
  /** The first page. */
  url: string;
  port: number;
  /** The paths of all pages. */
  paths: readonly string[];
  /** Every request in the order of arrival, robots.txt included. */
  requests(): CountedRequest[];
  /** How often each path was requested. */
  counts(): Map<string, number>;
  openSockets(): number;
  peakSockets(): number;
  /** Answers so many more requests and leaves those after them without an answer; resolves when the last one is answered. */
  answerOnly(count: number): Promise<void>;
  /** Answers every request again. */
  answerAll(): void;
  /** Forgets the requests so far. */
  reset(): void;
  close(): Promise<void>;
}

export async function countingSite(options: CountingSiteOptions = {}): Promise<CountingSite> {
  const pages = options.pages ?? 2_000;
  const requests: CountedRequest[] = [];
  const busy = options.busy;
  let answered = 0;
  let refuse = 0;
  let left = Number.POSITIVE_INFINITY;
  let onLast = (): void => {};

  const server: LoopbackServer = await listenOnLoopback(async (request, response) => {
    const path = request.url ?? "/";
    if (path === "/__stats") return sendStats(response);
    const entry: CountedRequest = { path, status: 0, at: performance.now() };
    requests.push(entry);
    if (left === 0) return;
    if (--left === 0) response.once("finish", onLast);
    const index = pageIndex(path, pages);
    if (busy && refuse > 0 && index !== undefined) {
      refuse--;
      entry.status = 429;
      response.writeHead(429, { "retry-after": String(busy.retryAfterSeconds) }).end();
      return;
    }
    if (options.delayMs) await sleep(options.delayMs);
    if (busy && index !== undefined && ++answered % busy.every === 0) refuse = busy.burst;
    entry.status = answer(request, response, path, index, options);
  }, options);

  function sendStats(response: ServerResponse): void {
    const open = server.openSockets();
    sendJson(response, { requests: requests.length, paths: countPaths(requests).size, openSockets: open });
  }

  return {
    url: `${server.url}/`,
    port: server.port,
    paths: Array.from({ length: pages }, (_, index) => pagePath(index)),
    requests: () => [...requests],
    counts: () => countPaths(requests),
    openSockets: server.openSockets,
    peakSockets: server.peakSockets,
    answerOnly: (count) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      left = count;
      onLast = resolve;
      return promise;
    },
    answerAll: () => {
      left = Number.POSITIVE_INFINITY;
    },
    reset: () => {
      requests.length = 0;
    },
    close: server.close,
  };
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function countPaths(requests: readonly CountedRequest[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of requests) counts.set(path, (counts.get(path) ?? 0) + 1);
  return counts;
}

function pagePath(index: number): string {
  return index === 0 ? "/" : `/page/${index}`;
}

function pageIndex(path: string, pages: number): number | undefined {
  if (path === "/") return 0;
  if (!path.startsWith("/page/")) return undefined;
  const index = Number(path.slice(6));
  return Number.isInteger(index) && index > 0 && index < pages ? index : undefined;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  index: number | undefined,
  options: CountingSiteOptions,
): number {
  if (path === "/robots.txt" && options.robots !== undefined) {
    response.writeHead(200, { "content-type": "text/plain" }).end(options.robots);
    return 200;
  }
  if (index === undefined) {
    response.writeHead(404, { "content-type": "text/plain" }).end("no such page\n");
    return 404;
  }
  const headers: Record<string, string> = { "content-type": "text/html; charset=utf-8" };
  if (options.etag) {
    headers["etag"] = `"page-${index}"`;
    if (request.headers["if-none-match"] === headers["etag"]) {
      response.writeHead(304, headers).end();
      return 304;
    }
  }
  const body = pageHtml(index, options.pages ?? 2_000, options.linksPerPage ?? 10, options.bodyBytes ?? 0);
  headers["content-length"] = String(body.length);
  response.writeHead(200, headers).end(body);
  return 200;
}

/**
 * Page i links to its two children in a binary tree, which makes every page reachable within log2(N) clicks, and to others
 * by chance. The first link comes three times: as it is, again, and with a fragment.
 */
function pageHtml(index: number, pages: number, linksPerPage: number, bodyBytes: number): string {
  const random = seededRandom(index);
  const targets = new Set<number>();
  for (const child of [2 * index + 1, 2 * index + 2]) if (child < pages) targets.add(child);
  const wanted = Math.min(linksPerPage, pages);
  while (targets.size < wanted) targets.add(random(pages));
  const paths = [...targets].map(pagePath);
  const links = [...paths, paths[0]!, `${paths[0]}#again`].map((path) => `<a href="${path}">${path}</a>`);
  const filler = bodyBytes > 0 ? `<p>${"tide ".repeat(Math.ceil(bodyBytes / 5)).slice(0, bodyBytes)}</p>` : "";
  return `<!doctype html><html lang="en"><head><title>Page ${index}</title></head><body><main><h1>Page ${index}</h1>${links.join("\n")}${filler}</main></body></html>`;
}
