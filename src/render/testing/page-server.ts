/** A server on loopback that records its requests. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface PageServer extends AsyncDisposable {
  origin: string;
  /** The requests so far, as `METHOD /path`. */
  seen: string[];
  /** Resolves when the path is requested the next time. */
  asked(path: string): Promise<void>;
  /** Answers sockets; without it they are refused. */
  onUpgrade(listener: (request: IncomingMessage, socket: Duplex) => void): void;
  headersOf(path: string): IncomingMessage["headers"] | undefined;
}

/** Unknown paths get an empty script, which does no harm in any other role. */
export async function servePages(handlers: Record<string, Handler> = {}): Promise<PageServer> {
  const seen: string[] = [];
  const sockets = new Set<Duplex>();
  const waiting = new Map<string, () => void>();
  const headers = new Map<string, IncomingMessage["headers"]>();
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    seen.push(`${request.method} ${path}`);
    headers.set(path, request.headers);
    waiting.get(path)?.();
    const handler = handlers[path];
    if (handler) handler(request, response);
    else response.setHeader("Content-Type", "text/javascript").end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    asked: (path) => new Promise((resolve) => waiting.set(path, resolve)),
    onUpgrade: (listener) => {
      server.on("upgrade", (request, socket) => {
        sockets.add(socket);
        socket.on("error", () => {});
        listener(request, socket);
      });
    },
    headersOf: (path) => headers.get(path),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export const script =
  (source: string): Handler =>
  (_request, response) =>
    response.setHeader("Content-Type", "text/javascript").end(source);

export const json =
  (value: unknown): Handler =>
  (_request, response) =>
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(value));
