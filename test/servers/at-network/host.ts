/** One name of the network on a port of loopback: counts and times requests, dies and returns, and knows its sockets. */
import { createServer as createPlain, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../../src/kernel/clock.ts";

export interface HostRequest {
  host: string;
  path: string;
  /** The method's name in XRPC, or the path. */
  method: string;
  did: string | null;
  /** When it came, by the network's clock. */
  at: number;
  /** When the answer was over, or the connection. */
  until: number;
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

export interface HostOptions {
  name: string;
  listener: RequestListener;
  /** Without it the host speaks plain HTTP, and its name is its address. */
  tls: { key: string; cert: string } | null;
  clock: Clock;
  /** Called with each request as it comes. */
  onRequest: (request: HostRequest) => void;
}

const rawSockets = new WeakMap<ServerResponse, Socket>();

/** The TCP connection under a response, TLS or not: only that one can be reset. */
export const rawSocketOf = (response: ServerResponse): Socket => rawSockets.get(response)!;

export class Host {
  readonly name: string;
  port = 0;
  readonly requests: HostRequest[] = [];
  readonly #options: HostOptions;
  readonly #sockets = new Set<Socket>();
  readonly #raw = new Map<number, Socket>();
  #server: Server | null = null;

  constructor(options: HostOptions) {
    this.#options = options;
    this.name = options.name;
  }

  /** As it stands in documents: `https://pds-0.atp.example`, or `http://127.0.0.1:4567`. */
  get url(): string {
    return this.#options.tls === null ? `http://${this.hostname}` : `https://${this.name}`;
  }

  get hostname(): string {
    return this.#options.tls === null ? `127.0.0.1:${this.port}` : this.name;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  /** Listens, on the same port as before when it died. */
  async up(): Promise<void> {
    const { tls, listener, clock } = this.#options;
    const counted: RequestListener = (request, response) => {
      const url = new URL(request.url ?? "/", "http://host");
      const entry: HostRequest = {
        host: this.name,
        path: request.url ?? "/",
        method: url.pathname.replace("/xrpc/", ""),
        did: url.searchParams.get("did"),
        at: clock.now(),
        until: Number.POSITIVE_INFINITY,
        status: 0,
        headers: request.headers,
      };
      this.requests.push(entry);
      this.#options.onRequest(entry);
      rawSockets.set(response, this.#raw.get(request.socket.remotePort!)!);
      // Resets are the purpose of some answers; an unheard 'error' would end the test's process.
      response.on("error", () => {});
      response.once("close", () => {
        entry.until = clock.now();
        entry.status = response.headersSent ? response.statusCode : 0;
      });
      listener(request, response);
    };
    const server = tls === null ? createPlain(counted) : createSecure(tls, counted);
    server.keepAliveTimeout = 60_000;
    server.on("connection", (socket: Socket) => {
      const { remotePort } = socket;
      this.#sockets.add(socket);
      this.#raw.set(remotePort!, socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        if (this.#raw.get(remotePort!) === socket) this.#raw.delete(remotePort!);
      });
      socket.on("error", () => {});
    });
    server.on("secureConnection", (socket: Socket) => socket.on("error", () => {}));
    await new Promise<void>((resolve) => server.listen(this.port, "127.0.0.1", resolve));
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Refuses connections from now on. */
  async down(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
