/** Everything that the server answers, as one function from request to response, without a socket. */

import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { cors } from "hono/cors";
import type { App } from "../../app/app.ts";
import type { Caller } from "../../app/caller.ts";
import { ERRORS, TrawlError } from "../../errors.ts";
import { docsPage, docsScript } from "./docs-page.ts";
import type { EventStream } from "./event-stream.ts";
import { abortConnection, sendExport, sendFavicon, sendStoredPage } from "./file-answers.ts";
import type { Governor } from "./governor.ts";
import { clientUser, createGuard, type GuardOptions, SESSION, signOut } from "./guard.ts";
import { LIMITS } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import { openApiDocument } from "./openapi.ts";
import { methodNotAllowed, problemResponse } from "./problem.ts";
import { readInput, withReadBody } from "./read-input.ts";
import { API_ROOT, type Method, ROUTES, routerPath } from "./routes.ts";
import type { WebApp } from "./web-app.ts";

export interface HandlerParts {
  app: App;
  guard: Omit<GuardOptions, "isPublic">;
  events: EventStream;
  governor: Governor;
  metrics: Metrics;
  webApp: WebApp;
  /** Who sends the requests, and what they may do. */
  caller: Caller;
  /** Model Context Protocol over HTTP. */
  mcp: ((request: Request) => Promise<Response>) | null;
  /** Called with an internal error, for the person who runs the server. */
  onInternalError: (error: unknown) => void;
}

export type RequestHandler = (request: Request, env?: unknown) => Response | Promise<Response>;

/** What monitors request, without a token; the answer is just "ok". */
const HEALTH: readonly string[] = ["/health", `${API_ROOT}/health`];

type Handler = (c: Context) => Response | Promise<Response>;

export function createHandler(parts: HandlerParts): RequestHandler {
  const { app, guard, events, governor, metrics, webApp, mcp } = parts;
  const clientOf = (c: Context): string => clientName(c, guard);
  const hono = new Hono();
  // The route pattern: paths with ids in them would create a label for each crawl.
  const routes = new WeakMap<Request, string>();
  hono.use(measured(metrics, routes), securityHeaders);
  if (guard.allowedOrigins.length > 0) hono.use(crossOrigin(guard.allowedOrigins));
  const isPublic = (path: string) => HEALTH.includes(path) || webApp.isFile(path);
  hono.use(createGuard({ ...guard, isPublic }));
  hono.use(governed(governor, clientOf, isPublic));
  hono.onError((error, c) =>
    hasLeft(c, error) ? new Response(null, LEFT) : answerError(error, parts.onInternalError),
  );

  const paths = new Map<string, Partial<Record<Method, Handler>>>();
  const add = (method: Method, path: string, handler: Handler): void => {
    paths.set(path, { ...paths.get(path), [method]: handler });
  };
  for (const route of ROUTES) {
    add(route.method, API_ROOT + route.path, async (c) => {
      const input = await readInput(c, route);
      const answer = await route.operation.run(app, input, callerOf(c, parts.caller));
      return c.json(answer as object, 200, { "cache-control": "no-store" });
    });
  }
  const document = once(() => openApiDocument(app.version));
  const page = once(() => docsPage(document(), ERRORS));
  add("get", `${API_ROOT}/crawls/{id}/export`, (c) => sendExport(c, app));
  add("get", `${API_ROOT}/archives/{id}/page/view`, (c) => sendStoredPage(c, app));
  add("get", `${API_ROOT}/projects/{id}/favicon`, (c) => sendFavicon(c, app));
  add("get", `${API_ROOT}/events`, (c) => sendEvents(c, events, () => governor.openStream(clientOf(c))));
  add("get", "/openapi.json", (c) => c.json(document(), 200, { "cache-control": "no-cache" }));
  add("get", "/docs", (c) => c.html(page(), 200, { "cache-control": "no-cache" }));
  add("get", "/docs.js", (c) => c.body(docsScript, 200, { "content-type": "text/javascript; charset=utf-8" }));
  add("get", "/metrics", async (c) => c.body(await metrics.text(), 200, { "content-type": metrics.contentType }));
  add("get", "/health", (c) => c.text("ok", 200, { "cache-control": "no-store" }));
  add("get", SESSION, (c) => c.json({ canSignOut: true }));
  add("delete", SESSION, (c) => signOut(c, guard));
  add("post", "/sign-in", (c) => c.json({ token: guard.tokens.issueCode(clientUser(c)) }));

  for (const [path, handlers] of paths) {
    const methods = Object.keys(handlers) as Method[];
    hono.all(routerPath(path), (c) => {
      // HEAD is GET without the body, which the connection leaves out.
      const method = (c.req.method === "HEAD" ? "get" : c.req.method.toLowerCase()) as Method;
      routes.set(c.req.raw, path);
      return handlers[method]?.(c) ?? methodNotAllowed(methods);
    });
  }
  if (mcp !== null) {
    hono.all("/mcp", async (c) => {
      routes.set(c.req.raw, "/mcp");
      return mcp(await withReadBody(c.req.raw, LIMITS.listBody));
    });
  }
  hono.all("/api/*", () => {
    throw new TrawlError("PATH_NOT_FOUND");
  });
  hono.all("*", (c) => webApp.answer(c));
  return (request, env) => hono.fetch(request, env as object);
}

const measured =
  (metrics: Metrics, routes: WeakMap<Request, string>): MiddlewareHandler =>
  async (c, next) => {
    const began = performance.now();
    await next();
    const request = { method: c.req.method, route: routes.get(c.req.raw) ?? "other", status: c.res.status };
    metrics.observe(request, (performance.now() - began) / 1_000);
  };

/** The signal is read only when it is needed: creating it costs more than a small answer. */
const callerOf = (c: Context, caller: Caller): Caller => ({
  ...caller,
  get signal() {
    return c.req.raw.signal;
  },
});

const hasLeft = (c: Context, error: unknown): boolean => c.req.raw.signal.aborted && error === c.req.raw.signal.reason;

/** Nobody reads it; 499 is what servers log for a client that disconnected. */
const LEFT = { status: 499 };

/** A client is an address with its token or session: the tabs of a browser are one, two browsers behind a proxy are two. */
function clientName(c: Context, { cookieName }: Pick<GuardOptions, "cookieName">): string {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  const address = incoming?.socket.remoteAddress ?? "";
  if (c.req.header("authorization") !== undefined) return address;
  return `${address} ${getCookie(c, cookieName()) ?? ""}`;
}

/** Files of the web app cost next to nothing, and health checks must be answered even when the server is busy. */
const governed =
  (governor: Governor, clientOf: (c: Context) => string, isPublic: (path: string) => boolean): MiddlewareHandler =>
  async (c, next) =>
    isPublic(c.req.path) ? next() : governor.call(clientOf(c), next);

const crossOrigin = (origins: readonly string[]): MiddlewareHandler =>
  cors({
    origin: [...origins],
    allowMethods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
    allowHeaders: ["Authorization", "Content-Type", "Last-Event-ID"],
    exposeHeaders: ["Content-Disposition"],
    maxAge: 600,
  });

function answerError(error: unknown, onInternalError: (error: unknown) => void): Response {
  if (!(error instanceof TrawlError) || error.code === "INTERNAL") onInternalError(error);
  const isToken = error instanceof TrawlError && error.code === "TOKEN_NEEDED";
  return problemResponse(error, isToken ? { "www-authenticate": 'Bearer realm="Trawl"' } : {});
}

function sendEvents(c: Context, events: EventStream, open: () => () => void): Response {
  if (c.req.method === "HEAD") return c.body(null, 200, EVENT_HEADERS);
  const body = events.open(c.req.header("last-event-id") ?? null, () => abortConnection(c), open());
  return c.body(body, 200, EVENT_HEADERS);
}

const EVENT_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies that buffer answers would delay events.
  "x-accel-buffering": "no",
};

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The web app loads everything from this server. Its charts and tables set inline styles. */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "style-src 'self' 'unsafe-inline'",
  "script-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  // Addresses of screens contain URLs of crawled pages, which other sites must not see.
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) {
    // An answer that sets its own, stricter policy keeps it.
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  }
};
