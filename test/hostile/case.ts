/** A misbehaviour: what the server does, which of the 25 threats it belongs to, and what must be recorded about it. */
import type { Socket } from "node:net";

/** One request, as the server read it. */
export interface Exchange {
  /** Plain or TLS; raw bytes in any case. */
  socket: Socket;
  method: string;
  path: string;
  headers: Record<string, string>;
  /** 1 for the first request of this path on this host. */
  attempt: number;
  /** A port on loopback that nothing may connect to. */
  canary: number;
}

export type Serve = (exchange: Exchange) => void;

/** Facts of one URL, by their names in the fact table. `undefined` for a URL that must not have been found. */
export type Facts = Record<string, string | number | boolean | null> | undefined;

export interface Case {
  /** The number of the threat in docs/threat-model.md. */
  threat: number;
  /** Also the host: `<name>.hostile.example`. */
  name: string;
  /** `tcp` is an https URL whose server does not do a proper handshake. */
  over?: "http" | "https" | "http2" | "tcp";
  /** Answers every request except for robots.txt, which is 404 unless `robots` is set. */
  serve: Serve;
  robots?: Serve;
  /** What a site crawl records, by path; `/` is the page that the start links to. */
  site?: Record<string, Facts>;
  /** The most requests that this host may get in a site crawl. */
  requests?: number;
  /** Paths that a site crawl must not ask for. */
  never?: readonly string[];
  /** What the archive's metadata line says when a file of a repo behaves like this: HTTP status, and `error` or `skipped`. */
  archive?: readonly [status: number, why: string | null];
  /** The class that a repo of an AT Protocol host gets that behaves like this. */
  atproto?: string;
}

export const HTML = "text/html; charset=utf-8";
const MEBIBYTE = Buffer.alloc(1 << 20, "<p>more</p>");

/** A well-formed answer, after which the connection is closed. */
export function answer(
  { socket, method }: Exchange,
  body: string | Uint8Array,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const fields = { "content-type": HTML, "content-length": String(bytes.length), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} Status\r\n${lines.join("")}connection: close\r\n\r\n`, "latin1");
  socket.end(method === "HEAD" ? "" : bytes);
}

/** Always the same page. */
export const page =
  (body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): Serve =>
  (exchange) =>
    answer(exchange, body, { status, headers });

export const redirect = (location: string | ((exchange: Exchange) => string), status = 302): Serve => {
  return (exchange) => {
    const target = typeof location === "string" ? location : location(exchange);
    answer(exchange, "", { status, headers: { location: target } });
  };
};

/** Answers by path; what is not in the table is 404. */
export const table =
  (answers: Record<string, string | Serve>): Serve =>
  (exchange) => {
    const found = answers[exchange.path];
    if (typeof found === "function") found(exchange);
    else answer(exchange, found ?? "not here", { status: found === undefined ? 404 : 200 });
  };

/** These bytes, and the end of the connection. */
export const bytes =
  (...parts: (string | Uint8Array)[]): Serve =>
  ({ socket }) => {
    for (const part of parts) socket.write(part);
    socket.end();
  };

/** A good head, and these bytes after it. The connection stays open. */
export const head = (fields: string, status = "200 OK"): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${HTML}\r\n${fields}\r\n`;

/** Begins with these bytes, then repeats others forever, as fast as they are read. */
export const endless =
  (begin: string, repeated: string | Uint8Array = MEBIBYTE): Serve =>
  ({ socket }) => {
    socket.write(begin);
    pour(socket, repeated);
  };

export function pour(socket: Socket, repeated: string | Uint8Array): void {
  const fill = (): void => {
    while (!socket.destroyed && socket.writable && socket.write(repeated));
  };
  socket.on("drain", fill);
  fill();
}

/** Begins with these bytes, then sends others one piece at a time, forever. */
export const drip =
  (begin: string, piece = ".", everyMs = 50): Serve =>
  ({ socket }) => {
    socket.write(begin);
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.once("close", () => clearInterval(timer));
  };

export const silent: Serve = () => {};

export const reset: Serve = ({ socket }) => {
  // A TLS socket has no resetAndDestroy that works; closing it without an alert is what the peer sees as a reset.
  if ("encrypted" in socket) socket.destroy();
  else socket.resetAndDestroy();
};

export const links = (...hrefs: string[]): string =>
  `<!doctype html><title>Page</title>${hrefs.map((href) => `<a href="${href}">${href}</a>`).join("\n")}`;
