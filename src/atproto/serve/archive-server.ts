/** An archive over HTTP, for reading: `/xrpc/<method>` as a server of the AT Protocol answers it, and `/segments` with the files. */
import { createReadStream } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { TrawlError } from "../../errors.ts";
import { withoutFloods } from "../../net/pipelining.ts";
import { acceptWebSocket, refuseUpgrade } from "../../net/websocket/websocket-server.ts";
import type { Damage } from "../rca/format/bytes.ts";
import { assertSegments } from "../rca/read/archive.ts";
import { askedRange, type SegmentFile, segmentFiles } from "./segment-files.ts";
import { WaitingBytes } from "./waiting-bytes.ts";
import { ServedArchive, XrpcError } from "./xrpc-methods.ts";

export interface ArchiveServerOptions {
  folder: string;
  host: string;
  /** 0 for any that is free. */
  port: number;
  onDamage: (damage: Damage) => void;
  /** Something failed that the client is not to blame for. */
  onError: (error: unknown) => void;
}

export interface ArchiveServer {
  url: string;
  port: number;
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 256;
/** A client that takes nothing, and says nothing, for so long has gone. */
const SILENT_MS = 120_000;
/** Repos that wait for their clients to take them; one more may exceed it. */
const MOST_WAITING_BYTES = 256 * 2 ** 20;
const LARGEST_ACKNOWLEDGEMENT = 1_024;
const CAR_TYPE = "application/vnd.ipld.car";
/** A website can point its own name at 127.0.0.1; its name is in the header then. */
const OWN_HOST = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/** Throws when the folder has no segments, or the port cannot be used. */
export async function serveArchive(options: ArchiveServerOptions): Promise<ArchiveServer> {
  const { folder, host, onError } = options;
  await assertSegments(folder);
  const archive = new ServedArchive(folder, options.onDamage);
  const underWay = new Set<Promise<void>>();
  const waiting = new WaitingBytes(MOST_WAITING_BYTES);
  const isLocal = isLoopback(host);
  const onRequest: RequestListener = (request, response) => {
    const isAllowed = !isLocal || OWN_HOST.test(request.headers.host ?? "");
    const answering = (
      isAllowed ? answer({ archive, folder, waiting }, request, response) : Promise.reject(otherName())
    )
      .catch((error: unknown) => fail(error, response, onError))
      .finally(() => underWay.delete(answering));
    underWay.add(answering);
  };
  const server = createServer(withoutFloods(onRequest));
  server.setTimeout(SILENT_MS);
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => {});
    // A stream may have nothing to say for long.
    socket.setTimeout(0);
    const following = openStream(archive, { request, socket, head, isLocal })
      .catch((error: unknown) => {
        onError(error);
        socket.destroy();
      })
      .finally(() => underWay.delete(following));
    underWay.add(following);
  });
  server.maxConnections = MOST_CONNECTIONS;
  try {
    await archive.refresh();
    await listen(server, options);
  } catch (error) {
    archive[Symbol.dispose]();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await archive.stream.close();
      await Promise.all([closed, ...underWay]);
      archive[Symbol.dispose]();
    },
  };
}

interface Served {
  archive: ServedArchive;
  folder: string;
  waiting: WaitingBytes;
}

async function answer(
  { archive, folder, waiting }: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    throw new XrpcError("InvalidRequest", "Only GET and HEAD are allowed: an archive is read-only.", 405);
  }
  const { pathname, searchParams } = readAddress(request.url ?? "/");
  const [, part, name, ...more] = pathname.split("/");
  if (part === "xrpc" && name !== undefined && more.length === 0) {
    const said = await archive.answer(name, searchParams);
    if ("car" in said) {
      if (response.destroyed) return;
      waiting.add(said.car.length, response);
      send(request, response, CAR_TYPE, said.car);
    } else sendJson(request, response, said.json);
  } else if (part === "segments" && more.length === 0) {
    const files = await segmentFiles(folder);
    if (name === undefined || name === "") {
      sendJson(request, response, { segments: files.map(({ name: file, size }) => ({ name: file, size })) });
      return;
    }
    const file = files.find((one) => one.name === name);
    if (file === undefined) throw new XrpcError("NotFound", "The archive has no finished segment of this name.", 404);
    await sendFile(request, response, file);
  } else {
    throw new XrpcError("NotFound", "Only /xrpc/<method> and /segments are served.", 404);
  }
}

interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  isLocal: boolean;
}

/** Resolves when the stream is over. A browser opens WebSockets for any website, and says which one: none may follow an archive on loopback. */
async function openStream(archive: ServedArchive, { request, socket, head, isLocal }: Upgrade): Promise<void> {
  const { host = "", origin } = request.headers;
  const isOwn = OWN_HOST.test(host) && (origin === undefined || origin === `http://${host}`);
  if (isLocal && !isOwn) return refuseUpgrade(socket, 403, "Forbidden");
  const { pathname, searchParams } = URL.parse(`http://archive${request.url}`) ?? { pathname: "" };
  if (pathname !== "/stream" || searchParams === undefined) return refuseUpgrade(socket, 404, "Not Found");
  const accept = () => acceptWebSocket(request, socket, head, LARGEST_ACKNOWLEDGEMENT);
  const refusal = await archive.stream.stream(searchParams, accept);
  if (refusal !== null) refuseUpgrade(socket, refusal.status, refusal.problem);
}

function readAddress(target: string): URL {
  const address = URL.parse(`http://archive${target.startsWith("/") ? target : "/"}`);
  if (address === null) throw new XrpcError("InvalidRequest", "The address cannot be read.");
  return address;
}

async function sendFile(request: IncomingMessage, response: ServerResponse, file: SegmentFile): Promise<void> {
  const { path, size, etag } = file;
  const ifRange = request.headers["if-range"];
  const range = ifRange === undefined || ifRange === etag ? askedRange(request.headers.range, size) : null;
  response.setHeaders(
    new Map([
      ["accept-ranges", "bytes"],
      ["etag", etag],
      ["content-type", "application/octet-stream"],
    ]),
  );
  if (range === "unsatisfiable") {
    response.writeHead(416, { "content-range": `bytes */${size}`, "content-length": 0 }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: size };
  if (range !== null) response.setHeader("content-range", `bytes ${start}-${end - 1}/${size}`);
  response.writeHead(range === null ? 200 : 206, { "content-length": end - start });
  if (request.method === "HEAD" || start === end) response.end();
  else await pipeline(createReadStream(path, { start, end: end - 1 }), response);
}

const sendJson = (request: IncomingMessage, response: ServerResponse, value: unknown): void =>
  send(request, response, "application/json; charset=utf-8", Buffer.from(JSON.stringify(value)));

function send(request: IncomingMessage, response: ServerResponse, type: string, body: Buffer): void {
  const headers = { "content-type": type, "content-length": body.length, "x-content-type-options": "nosniff" };
  response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : body);
}

const otherName = (): XrpcError =>
  new XrpcError("Forbidden", "This server answers to the names of this machine only.", 403);

/** What the client did wrong is told to it; everything else is told to the owner. */
function fail(error: unknown, response: ServerResponse, onError: (error: unknown) => void): void {
  const isGone = response.destroyed || (error as NodeJS.ErrnoException).code === "ERR_STREAM_PREMATURE_CLOSE";
  if (!(error instanceof XrpcError) && !isGone) onError(error);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const {
    status,
    error: name,
    message,
  } = error instanceof XrpcError ? error : new XrpcError("InternalServerError", "The archive could not be read.", 500);
  const body = Buffer.from(JSON.stringify({ error: name, message }));
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "content-length": body.length });
  response.end(body);
}

function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1") return true;
  return isIP(host) === 4 && host.startsWith("127.");
}

function listen(server: Server, { host, port }: ArchiveServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", ({ code, message }: NodeJS.ErrnoException) => {
      const isTaken = code === "EADDRINUSE" || code === "EACCES";
      const text = `The server cannot listen on ${host}, port ${port}: ${message}`;
      reject(new TrawlError(isTaken ? "PORT_TAKEN" : "BAD_USAGE", text));
    });
    server.listen(port, host, resolve);
  });
}
