/** A site as a table of answers, on loopback. It records every request. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { type LoopbackServer, listenOnLoopback } from "../../src/demo/loopback.ts";

/** HTML, an answer in parts, or a function that writes it itself. */
export type Answer = string | Parts | ((request: IncomingMessage, response: ServerResponse) => void);

interface Parts {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface SeenRequest {
  method: string;
  host: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** By performance.now(). */
  at: number;
}

export interface TableSite {
  /** The start page. */
  url: string;
  origin: string;
  port: number;
  /** Every request in the order of arrival. */
  requests: SeenRequest[];
  /** `GET /path` of every request that is not for robots.txt, the guessed sitemap or a made-up page. */
  asked(): string[];
  /** `GET /path` of the requests for pages that do not exist, which show what the host answers for these. */
  askedInVain(): string[];
  peakSockets(): number;
  close(): Promise<void>;
}

/**
 * Answers come from the table by path and query (`/a?b=1`), or by host and path (`//docs.example.com/a`); what is not in
 * it is 404.
 */
export async function tableSite(t: TestContext, table: Record<string, Answer>, port = 0): Promise<TableSite> {
  const requests: SeenRequest[] = [];
  const server: LoopbackServer = await listenOnLoopback(
    (request, response) => {
      const { method = "", url: path = "/", headers } = request;
      const host = headers.host ?? "";
      requests.push({ method, host, path, headers, at: performance.now() });
      const answer = table[`//${host.replace(/:\d+$/, "")}${path}`] ?? table[path] ?? { status: 404, body: "not here" };
      send(answer, request, response);
    },
    { port },
  );
  t.after(() => server.close());
  const incidental = new Set(["/robots.txt", "/sitemap.xml", "/sitemap_index.xml"]);
  return {
    url: `${server.url}/`,
    origin: server.url,
    port: server.port,
    requests,
    asked: () => requests.filter(({ path }) => !incidental.has(path) && !isMadeUp(path)).map(inWords),
    askedInVain: () => requests.filter(({ path }) => isMadeUp(path)).map(inWords),
    peakSockets: server.peakSockets,
    close: server.close,
  };
}

/** Trawl asks each host for one page that does not exist: tests about something else leave it out. */
export const isMadeUp = (path: string): boolean => path.includes("/no-such-page-");
const inWords = ({ method, path }: SeenRequest): string => `${method} ${path}`;

function send(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  if (typeof answer === "function") {
    answer(request, response);
    return;
  }
  const { status = 200, type, headers = {}, body = "" } = typeof answer === "string" ? { body: answer } : answer;
  const contentType = type ?? (status === 200 ? "text/html; charset=utf-8" : "text/plain");
  response.writeHead(status, { "content-type": contentType, ...headers });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** A page that links to these. */
export const linking = (...paths: string[]): string =>
  `<!doctype html><title>Page</title>${paths.map((path) => `<a href="${path}">${path}</a>`).join("\n")}`;

export const redirect = (location: string, status = 301): Answer => ({ status, headers: { location } });
export const text = (body: string, status = 200): Answer => ({ status, type: "text/plain", body });
