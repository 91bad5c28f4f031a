/** The connections to one origin and the requests that wait for one: first come, first served. */
import type { Socket } from "node:net";
import { Client } from "undici";
import type { Carrier } from "./carrier.ts";
import type { Connector, Phases } from "./connection/connector.ts";
import type { Route } from "./connection/route.ts";
import type { Exchange } from "./exchange.ts";
import { FetchError } from "./fetch-errors.ts";
import type { HttpClientOptions, TlsFacts } from "./http-types.ts";
import type { FlatHeaders } from "./request-headers.ts";

/** Requests at once on an HTTP/2 connection; undici respects a lower limit set by the server. */
const HTTP2_STREAMS = 100;

/** A deadline that is never reached: `deadlines.ts` handles all of them. */
const NO_TIMEOUT = 0;

export interface PoolEvents {
  /** A request is about to start or wait. */
  busy(pool: OriginPool): void;
  /** No request runs or waits. */
  idle(pool: OriginPool): void;
  /** The last socket of an idle pool has closed: the pool can be forgotten. */
  empty(pool: OriginPool): void;
}

export class OriginPool {
  readonly route: Route;
  /** The headers sent with every request to this origin. */
  readonly headers: FlatHeaders;
  readonly #options: HttpClientOptions;
  readonly #connector: Connector;
  readonly #events: PoolEvents;
  readonly #connections: Connection[] = [];
  /** They finish what they carry, and take nothing more. */
  readonly #retired = new Set<Connection>();
  #waiting: Exchange[] = [];
  /** The origin's protocol; unknown until the first TLS handshake. With HTTP/2, one connection may be enough. */
  #protocol: "1.1" | "2" | null;
  #sockets = 0;

  constructor(
    route: Route,
    headers: FlatHeaders,
    options: HttpClientOptions,
    connector: Connector,
    events: PoolEvents,
  ) {
    this.route = route;
    this.headers = headers;
    this.#options = options;
    this.#connector = connector;
    this.#events = events;
    this.#protocol = options.http2 && route.origin.secure ? null : "1.1";
  }

  get isConnected(): boolean {
    return this.#sockets > 0;
  }

  get idle(): boolean {
    const isIdle = (connection: Connection): boolean => connection.running === 0;
    return this.#waiting.length === 0 && this.#connections.every(isIdle) && [...this.#retired].every(isIdle);
  }

  submit(exchange: Exchange): void {
    this.#events.busy(this);
    const connection = this.#pick();
    if (connection === null) this.#waiting.push(exchange);
    else connection.run(exchange);
  }

  /** Fails all waiting and running requests, and closes every connection. */
  destroy(reason: FetchError): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const exchange of waiting) exchange.fail(reason);
    for (const connection of [...this.#connections, ...this.#retired]) connection.destroy(reason);
  }

  retire(connection: Connection): void {
    const at = this.#connections.indexOf(connection);
    if (at < 0) return;
    this.#connections.splice(at, 1);
    this.#retired.add(connection);
  }

  opened(socket: { once(event: "close", listener: () => void): unknown }, protocol: "1.1" | "2"): void {
    this.#protocol = protocol;
    this.#sockets++;
    socket.once("close", () => {
      this.#sockets--;
      if (this.#sockets === 0 && this.idle) this.#events.empty(this);
    });
    // Requests that waited to see whether one connection is enough.
    queueMicrotask(() => this.#drain());
  }

  /** A request has left this connection. */
  freed(connection: Connection): void {
    const isRetired = this.#retired.has(connection);
    if (isRetired && connection.running === 0) {
      this.#retired.delete(connection);
      connection.destroy(new FetchError("closed"));
    }
    const next = isRetired ? null : this.#next();
    if (isRetired) this.#drain();
    if (next !== null) connection.run(next);
    else if (this.idle) this.#events.idle(this);
  }

  #drain(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#pick();
      if (connection === null) return;
      const next = this.#next();
      if (next === null) return;
      connection.run(next);
    }
  }

  #next(): Exchange | null {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!next.settled) return next;
    }
    return null;
  }

  /** The first with room, so that connections that are no longer needed become idle and close. */
  #pick(): Connection | null {
    for (const connection of this.#connections) if (connection.running < connection.capacity) return connection;
    const undecided = this.#protocol === null && this.#connections.length > 0;
    if (undecided || this.#connections.length >= this.#options.connectionsPerOrigin) return null;
    const connection = new Connection(this, this.#options, this.#connector);
    this.#connections.push(connection);
    return connection;
  }
}

/** One undici client, which is one connection at a time; it opens a new one when the old one has closed. */
class Connection implements Carrier {
  running = 0;
  capacity = 1;
  httpVersion: "1.1" | "2" = "1.1";
  remoteAddress: string | null = null;
  tls: TlsFacts | null = null;
  readonly forwarded: boolean;
  readonly #pool: OriginPool;
  readonly #client: Client;
  #phases: Phases | null = null;
  bodyBytes = 0;
  carried = 0;
  #socket: Socket | null = null;
  #readBefore = 0;
  #giveUp: ((reason: FetchError) => void) | null = null;
  /** The request taken last, while one is running: on HTTP/1.1 it is the only one. */
  #last: Exchange | null = null;

  constructor(pool: OriginPool, options: HttpClientOptions, connector: Connector) {
    this.#pool = pool;
    this.forwarded = pool.route.forwarded;
    this.#client = new Client(pool.route.origin.key, {
      pipelining: 1,
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout: options.keepAliveMs,
      headersTimeout: NO_TIMEOUT,
      bodyTimeout: NO_TIMEOUT,
      maxHeaderSize: options.limits.headerBytes,
      allowH2: options.http2,
      h2Options: { maxConcurrentStreams: HTTP2_STREAMS },
      connect: (_options, callback) => {
        this.#giveUp = connector.open(pool.route, (error, established) => {
          this.#giveUp = null;
          if (established === null) return callback(error!, null);
          this.#phases = established.phases;
          this.remoteAddress = established.remoteAddress;
          this.tls = established.tls;
          this.httpVersion = established.socket.alpnProtocol === "h2" ? "2" : "1.1";
          this.capacity = this.httpVersion === "2" ? HTTP2_STREAMS : 1;
          this.#socket = established.socket;
          this.#readBefore = this.bodyBytes = 0;
          if (this.httpVersion === "1.1") watchReads(established.socket, () => this.#last);
          callback(null, established.socket);
          pool.opened(established.socket, this.httpVersion);
        });
      },
    });
  }

  get bytesRead(): number {
    return (this.#socket?.bytesRead ?? 0) - this.#readBefore;
  }

  close(reason: FetchError): void {
    this.#socket?.destroy(reason);
  }

  run(exchange: Exchange): void {
    if (this.running === 0) {
      this.#readBefore = this.#socket?.bytesRead ?? 0;
      this.bodyBytes = this.carried = 0;
    }
    this.running++;
    this.carried++;
    this.#last = exchange;
    exchange.begin(this);
    this.#client.dispatch(exchange.options, exchange);
  }

  resend(exchange: Exchange): void {
    // Later in any case, because undici is still closing the broken connection.
    void Promise.resolve(exchange.beforeResend?.())
      .catch(() => exchange.abort())
      .then(() => {
        // Given up meanwhile: undici does not know it any more, so nobody else says that it has ended.
        if (exchange.settled) return exchange.onResponseError(null, new FetchError("aborted"));
        exchange.begin(this);
        this.#client.dispatch(exchange.options, exchange);
      });
  }

  takePhases(): Phases | null {
    const phases = this.#phases;
    this.#phases = null;
    return phases;
  }

  cancel(reason: FetchError): void {
    if (this.running === 1) this.#giveUp?.(reason);
  }

  retire(): void {
    // On HTTP/1.1, undici closes it: a body cannot be skipped there.
    if (this.httpVersion === "2") this.#pool.retire(this);
  }

  release(failed: boolean): void {
    this.running--;
    // An idle connection must not keep the last body in memory.
    if (this.running === 0) this.#last = null;
    if (failed) queueMicrotask(() => this.#pool.freed(this));
    else this.#pool.freed(this);
  }

  destroy(reason: FetchError): void {
    this.#giveUp?.(reason);
    this.#client.destroy(reason, () => {});
  }
}

/**
 * Every read of an HTTP/1.1 connection passes here, because undici limits neither the status line, nor interim answers, nor
 * what surrounds chunks.
 *
 * An unrequested `100 Continue` is accepted: according to RFC 9110 section 15.2, a client ignores any 1xx before the answer;
 * undici does, except for 100, on which it closes the connection. So we show it 102 instead, which it ignores.
 */
function watchReads(socket: Socket, current: () => Exchange | null): void {
  const read = socket.read;
  socket.read = (size) => {
    const exchange = current();
    exchange?.arrived();
    if (socket.destroyed) return null;
    const chunk = read.call(socket, size);
    // The next bytes are a status line, not part of a body that happens to look like one.
    if (chunk !== null && exchange?.awaitsHeaders) renumberContinue(chunk);
    return chunk;
  };
}

/** Changes every `100` at the front. A status line split between two packets is not recognised: no known server does that. */
function renumberContinue(bytes: Buffer): void {
  const [one, zero] = [0x31, 0x30];
  for (let start = 0; bytes[start + 9] === one; ) {
    if (bytes.toString("latin1", start, start + 7) !== "HTTP/1.") return;
    if (bytes[start + 10] === zero && bytes[start + 11] === zero) bytes[start + 11] = 0x32;
    const end = bytes.indexOf("\r\n\r\n", start);
    if (end < 0) return;
    start = end + 4;
  }
}
