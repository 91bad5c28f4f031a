/**
 * A proxy on loopback between the browser and the network: every connection is opened by the given function,
 * which may refuse. If the browser connected by itself, the guard would not see it (DNS rebinding, sockets, workers).
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import {
  Agent,
  type ClientRequestArgs,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Connect } from "./contract.ts";

/** RFC 9110 section 7.6.1: these apply to one hop only. */
const HOP_HEADERS = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

export class EgressProxy {
  readonly server: string;
  /** Other programs on this machine must not use this proxy. */
  readonly credentials: { username: string; password: string };
  readonly #http: Server;
  readonly #agent: Agent;
  readonly #connect: Connect;
  readonly #sockets = new Set<Duplex>();
  readonly #expected: Buffer;

  static async listen(connect: Connect): Promise<EgressProxy> {
    const http = createServer();
    await new Promise<void>((resolve, reject) => {
      http.once("error", reject);
      http.listen(0, "127.0.0.1", resolve);
    });
    return new EgressProxy(http, connect);
  }

  private constructor(http: Server, connect: Connect) {
    this.#http = http;
    this.#connect = connect;
    this.server = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    this.credentials = { username: "trawl", password: randomBytes(24).toString("hex") };
    const { username, password } = this.credentials;
    this.#expected = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
    this.#agent = new DialAgent((host, port) => this.#dial(host, port));
    http.on("connection", (socket) => this.#keep(socket));
    http.on("request", (incoming, outgoing) => this.#forward(incoming, outgoing));
    http.on("connect", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on("error", () => socket.destroy());
      void this.#tunnel(incoming, socket, head);
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#http.close(() => resolve()));
  }

  #allowed(incoming: IncomingMessage): boolean {
    const given = Buffer.from(incoming.headers["proxy-authorization"] ?? "");
    return given.length === this.#expected.length && timingSafeEqual(given, this.#expected);
  }

  async #tunnel(incoming: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    if (!this.#allowed(incoming)) {
      client.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="trawl"\r\nContent-Length: 0\r\n\r\n',
      );
      return;
    }
    const target = URL.parse(`http://${incoming.url}`);
    try {
      if (target === null) throw new Error("not a host and port");
      const upstream = await this.#dial(target.hostname, Number(target.port || 80));
      upstream.on("error", () => client.destroy());
      upstream.on("close", () => client.destroy());
      client.on("close", () => upstream.destroy());
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    } catch {
      client.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
    }
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (!this.#allowed(incoming)) {
      outgoing.writeHead(407, { "Proxy-Authenticate": 'Basic realm="trawl"', "Content-Length": 0 }).end();
      return;
    }
    const target = URL.parse(incoming.url ?? "");
    if (target?.protocol !== "http:") {
      outgoing.writeHead(400).end();
      return;
    }
    const upstream = request(
      {
        agent: this.#agent,
        host: target.hostname,
        port: target.port || 80,
        method: incoming.method,
        path: target.pathname + target.search,
        headers: endToEnd(incoming.rawHeaders),
        setHost: false,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
        answer.pipe(outgoing);
        answer.on("error", () => outgoing.destroy());
      },
    );
    upstream.on("error", () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  }

  async #dial(host: string, port: number): Promise<Socket> {
    // URLs write IPv6 addresses in brackets.
    const socket = await this.#connect(host.replace(/^\[|\]$/g, ""), port);
    this.#keep(socket);
    return socket;
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

class DialAgent extends Agent {
  readonly #dial: Connect;

  constructor(dial: Connect) {
    super({ keepAlive: true });
    this.#dial = dial;
  }

  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.#dial(options.host ?? "", Number(options.port)).then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    );
  }
}

function endToEnd(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (!HOP_HEADERS.test(rawHeaders[index]!)) kept.push(rawHeaders[index]!, rawHeaders[index + 1]!);
  }
  return kept;
}
