/** Real servers on port 0 for tests: they count their sockets and requests, and are closed when the test ends. */
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";
import type { Certificate } from "./certificate.ts";

export interface TestServer {
  port: number;
  /** `http://127.0.0.1:port` or `https://localhost:port`, without a slash at the end. */
  origin: string;
  /** Connections that the server has open now. */
  sockets: Set<Socket>;
  /** Connections ever accepted. */
  accepted: number;
  /** Requests ever received; plain TCP servers do not count. */
  requests: number;
}

async function start(context: TestContext, server: Server, scheme: "http" | "https"): Promise<TestServer> {
  const running: TestServer = { port: 0, origin: "", sockets: new Set(), accepted: 0, requests: 0 };
  server.on("connection", (socket: Socket) => {
    running.accepted++;
    running.sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => running.sockets.delete(socket));
  });
  server.prependListener("request", () => running.requests++);
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  running.port = (server.address() as AddressInfo).port;
  running.origin = scheme === "http" ? `http://127.0.0.1:${running.port}` : `https://localhost:${running.port}`;
  context.after(async () => {
    const closed = once(server, "close");
    server.close();
    for (const socket of running.sockets) socket.destroy();
    await closed;
  });
  return running;
}

export function serveHttp(context: TestContext, listener: RequestListener): Promise<TestServer> {
  return start(context, createHttpServer(listener), "http");
}

export function serveHttps(
  context: TestContext,
  certificate: Certificate,
  listener: RequestListener,
): Promise<TestServer> {
  return start(context, createHttpsServer({ key: certificate.key, cert: certificate.cert }, listener), "https");
}

export function serveHttp2(
  context: TestContext,
  certificate: Certificate,
  listener: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
): Promise<TestServer> {
  const server = createSecureServer({ key: certificate.key, cert: certificate.cert }, listener);
  server.on("session", (session) => session.on("error", () => {}));
  return start(context, server as unknown as Server, "https");
}

/** A server that answers with whatever bytes the test writes, valid or not. */
export function serveTcp(context: TestContext, onRequest: (socket: Socket) => void): Promise<TestServer> {
  const server = createTcpServer((socket) => {
    socket.once("data", () => onRequest(socket));
  });
  return start(context, server, "http");
}
