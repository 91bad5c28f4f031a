/** Opens a WebSocket through the connector, so that its address passes the same egress guard as every other request. */
import { createHash, randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Socket } from "node:net";
import { systemClock } from "../../kernel/clock.ts";
import { Connector, SocketSet } from "../connection/connector.ts";
import { Router } from "../connection/route.ts";
import { FetchError } from "../fetch-errors.ts";
import type { HttpClientOptions } from "../http-types.ts";
import { originOf, parseHttpUrl, requestTarget } from "../origin.ts";
import { WebSocketConnection } from "./websocket-connection.ts";

/** RFC 6455 section 1.3: shows that the server speaks the protocol. */
const ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export const acceptKey = (key: string): string =>
  createHash("sha1")
    .update(key + ACCEPT_SUFFIX)
    .digest("base64");

export interface WebSocketRequest {
  /** `ws://` or `wss://`. */
  url: string;
  largestMessage: number;
  signal?: AbortSignal;
}

export class WebSocketClient {
  readonly #options: HttpClientOptions;
  readonly #sockets = new SocketSet();
  readonly #connector: Connector;
  readonly #router: Router;

  /** `http2` is left aside: a WebSocket is opened with HTTP/1.1. */
  constructor(options: HttpClientOptions) {
    this.#options = { ...options, http2: false };
    this.#connector = new Connector(this.#options, this.#sockets, options.monotonic ?? (() => performance.now()));
    this.#router = new Router(options);
  }

  openSockets(): number {
    return this.#sockets.size;
  }

  /** Rejects with a FetchError; `bad_response` when the server answers with something else. */
  async open({ url: written, largestMessage, signal }: WebSocketRequest): Promise<WebSocketConnection> {
    const url = parseHttpUrl(written.replace(/^ws/i, "http"));
    const route = this.#router.route(originOf(url));
    const socket = await this.#connect(route, signal);
    const target = route.forwarded ? url.href : requestTarget(url, route.origin.key);
    return this.#upgrade(socket, url.host, target, largestMessage, signal);
  }

  destroy(): Promise<void> {
    return this.#sockets.destroyAll();
  }

  #connect(route: Parameters<Connector["open"]>[0], signal: AbortSignal | undefined): Promise<Socket> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new FetchError("aborted"));
      const abort = (): void => cancel(new FetchError("aborted"));
      const cancel = this.#connector.open(route, (error, established) => {
        signal?.removeEventListener("abort", abort);
        if (error !== null) reject(error);
        else resolve(established!.socket);
      });
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  #upgrade(
    socket: Socket,
    host: string,
    path: string,
    largestMessage: number,
    signal: AbortSignal | undefined,
  ): Promise<WebSocketConnection> {
    const { userAgent, limits, clock = systemClock } = this.#options;
    const key = randomBytes(16).toString("base64");
    const asked = request({
      path,
      headers: {
        host,
        "user-agent": userAgent,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": key,
      },
      createConnection: () => socket,
      maxHeaderSize: limits.headerBytes,
    });
    return new Promise((resolve, reject) => {
      const fail = (error: FetchError): void => {
        over();
        socket.destroy();
        reject(error);
      };
      const abort = (): void => fail(new FetchError("aborted"));
      const cancelTimer = clock.after(limits.headersMs, () => fail(new FetchError("headers_timeout")));
      const over = (): void => {
        cancelTimer();
        signal?.removeEventListener("abort", abort);
      };
      signal?.addEventListener("abort", abort, { once: true });
      asked.once("upgrade", (response, upgraded, head) => {
        if (response.headers["sec-websocket-accept"] !== acceptKey(key)) {
          return fail(new FetchError("bad_response", "it is not a WebSocket"));
        }
        over();
        resolve(new WebSocketConnection(upgraded as Socket, head, { side: "client", largestMessage }));
      });
      asked.once("response", (response) => fail(new FetchError("bad_response", `status ${response.statusCode}`)));
      asked.once("error", (error) => fail(new FetchError("reset", error.message, { cause: error })));
      asked.end();
    });
  }
}
