/** The server: a socket, its limits and its end. What it answers is in `handler.ts`. */
import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { App } from "../../app/app.ts";
import { REMOTE } from "../../app/caller.ts";
import { watchOtherCrawls } from "../../app/crawls/other-crawls.ts";
import { TrawlError } from "../../errors.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { withoutFloods } from "../../net/pipelining.ts";
import { EventStream } from "./event-stream.ts";
import { Governor } from "./governor.ts";
import { isLoopback, plainHost } from "./guard.ts";
import { createHandler, type HandlerParts } from "./handler.ts";
import { CLIENT_LIMITS, type ClientLimits, LIMITS } from "./limits.ts";
import { Metrics } from "./metrics.ts";
import { problemResponse } from "./problem.ts";
import { newToken, Tokens } from "./tokens.ts";
import { createWebApp } from "./web-app.ts";
import { WrongTokens } from "./wrong-tokens.ts";

export interface ServerOptions {
  /** 0 for any free port. */
  port: number;
  host: string;
  /** Null: a new token, for as long as the server runs. */
  token: string | null;
  /** Additional host names of the server. */
  allowedHosts: readonly string[];
  /** Websites whose scripts have access, such as https://example.com. */
  allowedOrigins: readonly string[];
  /** The built web app; null serves only the API. */
  uiFolder: string | null;
  mcp: HandlerParts["mcp"];
  /** Crawls may start inside this machine's network, even if others reach the server. */
  allowPrivate: boolean;
  onInternalError: (error: unknown) => void;
  clock: Clock;
  /** What clients may have under way, if not `CLIENT_LIMITS`. */
  limits: Partial<ClientLimits>;
}

export interface RunningServer {
  /** Without a slash at the end. */
  url: string;
  port: number;
  token: string;
  /** The address to open in a browser, with a code that works once; for a browser of this user only, or of anyone. */
  signInUrl(path?: string, user?: number | null): string;
  openSockets(): number;
  close(): Promise<void>;
}

const DEFAULTS: ServerOptions = {
  port: 8080,
  host: "127.0.0.1",
  token: null,
  allowedHosts: [],
  allowedOrigins: [],
  uiFolder: null,
  mcp: null,
  allowPrivate: false,
  onInternalError: () => {},
  clock: systemClock,
  limits: {},
};

/** A client that takes longer to send its request, up to 10 MB, is stuck or hostile. */
const HEADERS_MS = 15_000;
const REQUEST_MS = 120_000;
/** How long a socket may be idle (events have a heartbeat every 15 s): an unread export would keep its database open. */
const SILENT_MS = 120_000;
/** When the server closes, running requests may finish within this time. */
const GRACE_MS = 3_000;

export async function startServer(app: App, given: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const options = { ...DEFAULTS, ...given };
  const host = plainHost(options.host);
  const tokens = new Tokens(options.token ?? newToken());
  const wrongTokens = new WrongTokens(options.clock);
  const { allowedHosts, allowedOrigins, mcp, onInternalError } = options;
  const events = new EventStream(options.clock, randomBytes(4).toString("hex"));
  const metrics = new Metrics(app, () => events.readers);
  const unsubscribe = app.events.subscribe((event) => events.send(event));
  const unwatch = watchOtherCrawls(
    {
      running: () => app.activeCrawls.others(),
      get: (id) => app.crawls.get(id),
      isElsewhere: (id) => !app.crawls.isOwn(id) && app.crawls.isHeld(id),
      clock: options.clock,
      onProblem: onInternalError,
    },
    (event) => events.send(event),
  );
  const isCrawling = (id: number) => app.activeCrawls.has(id);
  const governor = new Governor({ clock: options.clock, isCrawling, limits: options.limits });
  app.activeCrawls.admit = governor.admitCrawl;
  let port = options.port;
  const handler = createHandler({
    app,
    events,
    governor,
    metrics,
    mcp,
    caller: { ...REMOTE, mayStartPrivate: options.allowPrivate || isLoopback(host) },
    onInternalError,
    webApp: createWebApp(options.uiFolder),
    guard: { bound: host, allowedHosts, allowedOrigins, tokens, wrongTokens, cookieName: () => `trawl-${port}` },
  });
  const listener = getRequestListener(handler, {
    overrideGlobalObjects: false,
    // Only requests without a valid URL get here, such as those with a broken Host header.
    errorHandler: () => problemResponse(new TrawlError("HOST_NOT_ALLOWED")),
  });
  let closing: Promise<void> | null = null;
  const server = createServer(
    { maxHeaderSize: LIMITS.headerBytes, headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS },
    withoutFloods((request, response) => {
      // A keep-alive connection becomes idle after its answer, and would delay closing.
      response.once("close", () => setImmediate(() => closing && server.closeIdleConnections()));
      void listener(request, response);
    }),
  );
  server.maxConnections = options.limits.connections ?? CLIENT_LIMITS.connections;
  server.setTimeout(SILENT_MS);
  server.on("clientError", answerBrokenRequest);
  const sockets = trackSockets(server);
  try {
    port = await listen(server, options.port, host);
  } catch (error) {
    unsubscribe();
    unwatch();
    metrics.close();
    throw error;
  }
  // A browser cannot open "every address".
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const url = `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
  return {
    url,
    port,
    token: tokens.token,
    signInUrl(path = "/", user = null) {
      const address = new URL(path, url);
      address.searchParams.set("token", tokens.issueCode(user));
      return address.href;
    },
    openSockets: () => sockets.size,
    close: () => (closing ??= close()),
  };

  async function close(): Promise<void> {
    unsubscribe();
    unwatch();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    events.close();
    server.closeIdleConnections();
    const cancel = options.clock.after(GRACE_MS, () => server.closeAllConnections());
    await closed;
    cancel();
    metrics.close();
  }
}

function trackSockets(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, port, host)));
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function listenError({ code, message }: NodeJS.ErrnoException, port: number, host: string): TrawlError {
  if (code === "EADDRINUSE")
    return new TrawlError("PORT_TAKEN", `Port ${port} of ${host} is in use by another program.`);
  if (code === "EACCES") return new TrawlError("PORT_TAKEN", `This user is not allowed to use port ${port}.`);
  return new TrawlError("BAD_USAGE", `The server cannot listen on ${host}, port ${port}: ${message}`);
}

/** A request that is not HTTP, or too large: answered in the same format as all errors. */
function answerBrokenRequest({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, reason] =
    code === "HPE_HEADER_OVERFLOW"
      ? [431, "Request Header Fields Too Large"]
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? [408, "Request Timeout"]
        : [400, "Bad Request"];
  const body = JSON.stringify({ ...BROKEN_REQUEST, status, title: reason });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const BROKEN_REQUEST = {
  type: "/docs#BAD_INPUT",
  detail: "The server cannot read this request.",
  code: "BAD_INPUT",
  hint: "The address and headers together may not exceed 256 KB.",
};
