/** A code host on loopback: TLS, HTTP/2 and 1.1, repos with files, issues and pulls, ETags, and faults on request. It counts requests. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Certificate } from "../../src/net/testing/certificate.ts";

export interface CodeHostOptions {
  certificate: Certificate;
  repos?: number;
  /** Of each repo. */
  files?: number;
  issues?: number;
  pulls?: number;
  /** Issues on one page of the list; further pages are behind `?page=`. */
  issuesPerPage?: number;
  robots?: string;
  /** After every so many answered pages the next one gets 429 with this Retry-After. */
  busy?: { every: number; retryAfterSeconds: number };
  /** Adds a page that answers 503 twice, one that always answers 500, one that breaks off, and one that is an image. */
  faults?: boolean;
  delayMs?: number;
  /** Answers instead of the host; null when the host answers itself. */
  instead?: (path: string, request: number) => Instead | null;
}

export interface Instead {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** It is sent when this resolves. */
  after?: Promise<void>;
  /** Over HTTP/2 the stream is reset with this code; over HTTP/1.1 the connection is closed. */
  resets?: number;
}

export interface HostRequest {
  path: string;
  status: number;
  /** When it arrived, by performance.now(). */
  at: number;
  /** It came with If-None-Match or If-Modified-Since. */
  conditional: boolean;
  userAgent: string;
}

export interface CodeHost {
  port: number;
  /** How github.com is this server. */
  reach: { connectTo: { host: string; port: number; address: string; toPort: number }[]; ca: string };
  /** Every page that the github profile allows and that can be reached from /topics, without any cap. */
  pages: readonly string[];
  requests(): HostRequest[];
  /** Resolves when so many requests have come in all. */
  until(count: number): Promise<void>;
  counts(): Map<string, number>;
  openSockets(): number;
  setRobots(text: string): void;
  setRobotsStatus(status: number): void;
  /** The page has other bytes and another ETag from now on. */
  change(path: string): void;
  reset(): void;
  close(): Promise<void>;
}

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

const DEFAULT_ROBOTS = "User-agent: *\nDisallow: /*/*/blob/*/secret\nDisallow: /gone/\n";
const ELSEWHERE = [
  "https://gist.github.com/someone/1",
  "https://api.github.com/repos",
  "https://example.com/",
  "/login",
  "/features/actions",
  "/search?q=tide",
  "mailto:someone@example.com",
  "javascript:void(0)",
  "#readme",
];

export async function codeHost(options: CodeHostOptions): Promise<CodeHost> {
  const site = buildSite(options);
  const requests: HostRequest[] = [];
  const versions = new Map<string, number>();
  const attempts = new Map<string, number>();
  const sockets = new Set<Socket>();
  let robots = options.robots ?? DEFAULT_ROBOTS;
  const waiting = new Set<{ count: number; resolve: () => void }>();
  let robotsStatus = 200;
  let answered = 0;

  const answer = async (request: Request, response: Response): Promise<void> => {
    const path = request.url ?? "/";
    const { headers } = request;
    const conditional = "if-none-match" in headers || "if-modified-since" in headers;
    const entry: HostRequest = {
      path,
      status: 0,
      at: performance.now(),
      conditional,
      userAgent: String(headers["user-agent"]),
    };
    requests.push(entry);
    for (const one of waiting) if (requests.length >= one.count && waiting.delete(one)) one.resolve();
    const send = (status: number, extra: Record<string, string>, body: string | Buffer = ""): void => {
      entry.status = status;
      if ("stream" in response && response.stream?.destroyed) return;
      (response as ServerResponse).writeHead(status, extra).end(body);
    };
    if (options.delayMs) await new Promise((resolve) => setTimeout(resolve, options.delayMs));
    const instead = options.instead?.(path, requests.length) ?? null;
    if (instead?.resets !== undefined) {
      entry.status = -1;
      if ("stream" in response) response.stream.close(instead.resets);
      else request.socket.destroy();
      return;
    }
    await instead?.after;
    if (instead !== null) return send(instead.status, { ...HTML, ...instead.headers }, instead.body);
    if (path === "/robots.txt") return send(robotsStatus, { "content-type": "text/plain" }, robots);
    const { busy } = options;
    if (busy && ++answered % busy.every === 0) return send(429, { "retry-after": String(busy.retryAfterSeconds) });
    const attempt = (attempts.get(path) ?? 0) + 1;
    attempts.set(path, attempt);
    if (path.endsWith("/flaky") && attempt <= 2) return send(503, {});
    if (path.endsWith("/broken")) return send(500, HTML, "<h1>500</h1>");
    if (path.endsWith("/reset")) {
      entry.status = -1;
      request.socket.destroy();
      return;
    }
    if (path.endsWith("/picture")) return send(200, { "content-type": "image/png" }, Buffer.from([0x89, 0x50]));
    if (path === "/old/name") return send(301, { location: "/owner-0/repo-0" });
    const html = site.pages.get(path);
    if (html === undefined) return send(404, HTML, "<h1>404</h1>");
    const etag = `"${path.length}-${versions.get(path) ?? 0}"`;
    const validators = { etag, "last-modified": "Mon, 06 Jan 2025 10:00:00 GMT" };
    if (headers["if-none-match"] === etag) return send(304, validators);
    const changed = versions.has(path) ? `<p>version ${versions.get(path)}</p>` : "";
    send(200, { ...HTML, ...validators }, html + changed);
  };

  const { key, cert, ca } = options.certificate;
  const server = createSecureServer({ allowHTTP1: true, key, cert }, answer as never);
  server.on("secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // A client that is killed leaves resets behind.
    socket.on("error", () => {});
  });
  server.on("sessionError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    reach: { connectTo: [{ host: "github.com", port: 443, address: "127.0.0.1", toPort: port }], ca },
    pages: site.reachable,
    requests: () => [...requests],
    until: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.add({ count, resolve });
      }),
    counts: () => {
      const counts = new Map<string, number>();
      for (const { path } of requests) counts.set(path, (counts.get(path) ?? 0) + 1);
      return counts;
    },
    openSockets: () => sockets.size,
    setRobots: (text) => {
      robots = text;
    },
    setRobotsStatus: (status) => {
      robotsStatus = status;
    },
    change: (path) => void versions.set(path, (versions.get(path) ?? 0) + 1),
    reset: () => {
      requests.length = 0;
      attempts.clear();
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

const HTML = { "content-type": "text/html; charset=utf-8" };

/** Every page with its HTML, and the paths that the policy lets through. */
function buildSite(options: CodeHostOptions): { pages: Map<string, string>; reachable: string[] } {
  const { repos = 3, files = 4, issues = 5, pulls = 3, issuesPerPage = 25 } = options;
  const pages = new Map<string, string>();
  const reachable: string[] = [];
  const add = (path: string, links: string[], allowed = true): void => {
    pages.set(path, pageHtml(path, links));
    if (allowed) reachable.push(path);
  };
  const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => index + from);
  const roots = numbers(repos).map((index) => `/owner-${index % 7}/repo-${index}`);
  add("/topics", ["/topics/tides", "/topics/nets/", "/trending", ...ELSEWHERE]);
  add("/trending", [...roots.slice(0, 2), "/topics"]);
  add("/topics/tides", [...roots, "/old/name"]);
  add("/topics/nets", roots.slice(0, 5));
  for (const root of roots) {
    const blobs = numbers(files).map((index) => `${root}/blob/main/src/file-${index}.ts`);
    const faults = options.faults
      ? ["flaky", "broken", "reset", "picture"].map((name) => `${root}/blob/main/${name}`)
      : [];
    add(root, [
      ...blobs,
      `${root}/blob/main/secret`,
      `${root}/issues`,
      `${root}/pulls?q=is%3Aopen`,
      `${root}/tree/main/src`,
      `${root}/stargazers`,
      `${root}#readme`,
      ...faults,
    ]);
    pages.set(`${root}/blob/main/secret`, pageHtml("secret", []));
    for (const blob of blobs) add(blob, [root, ...blobs]);
    if (options.faults) add(`${root}/blob/main/flaky`, [root]);
    const issuePaths = numbers(issues, 1).map((number) => `${root}/issues/${number}`);
    const pagesOfIssues = Math.max(1, Math.ceil(issues / issuesPerPage));
    for (const page of numbers(pagesOfIssues)) {
      const path = page === 0 ? `${root}/issues` : `${root}/issues?page=${page + 1}`;
      const shown = issuePaths.slice(page * issuesPerPage, (page + 1) * issuesPerPage);
      add(path, [...shown, ...(page + 1 < pagesOfIssues ? [`${root}/issues?page=${page + 2}`] : [])], page === 0);
      if (page === 0) reachable.push(...shown);
    }
    for (const issue of issuePaths) add(issue, [root, `${root}/issues`, `${issue}#comment-1`], false);
    add(
      `${root}/pulls`,
      numbers(pulls, 1).map((number) => `${root}/pull/${number}`),
    );
    for (const number of numbers(pulls, 1)) add(`${root}/pull/${number}`, [root, `${root}/pull/${number}/files`]);
  }
  return { pages, reachable };
}

const pageHtml = (title: string, links: string[]): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1>${links
    .map((link) => `<a href="${link.replaceAll("&", "&amp;")}">${link}</a>`)
    .join("\n")}</body></html>`;
