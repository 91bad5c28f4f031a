/** Opens the connection for an origin: DNS, egress guard, TCP, proxy tunnel, TLS, each phase timed. */

import { request } from "node:http";
import { type LookupFunction, type Socket, connect as tcpConnect } from "node:net";
import { classifyError, classifyTlsError, FetchError } from "../fetch-errors.ts";
import type { Dial, HttpClientOptions, ResolvedAddress, TlsFacts } from "../http-types.ts";
import { refusedClass, refuseMetadata, requirePublic } from "./address-guard.ts";
import { Resolver, systemLookup } from "./resolver.ts";
import type { Route } from "./route.ts";
import { openSocksTunnel } from "./socks.ts";
import { acceptsOldTls, TlsClient, tlsFacts } from "./tls-client.ts";

export interface Phases {
  dns: number;
  connect: number;
  tls: number;
}

export interface Established {
  socket: Socket & { alpnProtocol?: string | false | null };
  /** Null behind a proxy, which hides it. */
  remoteAddress: string | null;
  /** Null without encryption. */
  tls: TlsFacts | null;
  phases: Phases;
}

export type EstablishedCallback = (error: FetchError | null, established: Established | null) => void;

/** One attempt to connect; `over` is set when it was cancelled or took too long. */
interface Attempt {
  socket: Socket | null;
  over: FetchError | null;
}

/** A list may name thousands of hosts: what they are is learned when their turn comes. */
const MOST_LEARNED = 100;

export class Connector {
  readonly #options: HttpClientOptions;
  readonly #sockets: SocketSet;
  readonly #monotonic: () => number;
  readonly #resolver: Resolver;
  readonly #tls: TlsClient;
  readonly #dial: Dial;
  readonly #protocols: string[];

  constructor(options: HttpClientOptions, sockets: SocketSet, monotonic: () => number) {
    this.#options = options;
    this.#sockets = sockets;
    this.#monotonic = monotonic;
    this.#resolver = new Resolver(options.lookup ?? systemLookup, monotonic);
    this.#tls = new TlsClient(options.ca, options.insecure);
    this.#dial = options.dial ?? tcpConnect;
    this.#protocols = options.http2 ? ["h2", "http/1.1"] : ["http/1.1"];
  }

  /** Calls back once; returns a function that cancels. */
  open(route: Route, done: EstablishedCallback): (reason: FetchError) => void {
    const attempt: Attempt = { socket: null, over: null };
    const given = Promise.withResolvers<never>();
    const giveUp = (reason: FetchError) => {
      attempt.over ??= reason;
      given.reject(attempt.over);
      attempt.socket?.destroy();
    };
    const { clock, limits } = this.#options;
    let isOver = false;
    // If this process was busy, the answer may have arrived: an immediate runs after sockets have been read.
    const timeOut = () => setImmediate(() => isOver || giveUp(new FetchError("connect_timeout")));
    const cancelTimer = clock.after(limits.connectMs, timeOut);
    Promise.race([this.#establish(route, attempt), given.promise])
      .finally(() => {
        isOver = true;
        cancelTimer();
      })
      .then(
        (established) => done(null, established),
        (error) => {
          attempt.socket?.destroy();
          done(attempt.over ?? classifyError(error), null);
        },
      );
    return giveUp;
  }

  async #establish(route: Route, attempt: Attempt): Promise<Established> {
    const { origin, proxy } = route;
    const host = proxy === null ? route.host : proxy.origin.hostname;
    const port = proxy === null ? route.port : proxy.origin.port;
    if (proxy !== null) this.#checkName(route);

    const start = this.#monotonic();
    const known = this.#resolver.peek(host);
    const addresses = known ?? (await this.#resolver.resolve(host).catch(atProxy(route)));
    const resolved = known === null ? this.#monotonic() : start;
    if (attempt.over !== null) throw attempt.over;
    if (proxy === null) this.#check(route, addresses);

    let socket: Socket = await this.#connect(host, port, addresses, attempt).catch(atProxy(route));
    const remoteAddress = proxy === null ? (socket.remoteAddress ?? null) : null;
    if (proxy?.origin.secure) {
      socket = await this.#tls.handshake(socket, host, port, ["http/1.1"]).catch(atProxy(route));
    }
    if (proxy?.socks) {
      socket = await openSocksTunnel(socket, route.host, route.port, proxy.socks.credentials);
    } else if (proxy !== null && !route.forwarded) {
      const authority = `${route.host.includes(":") ? `[${route.host}]` : route.host}:${route.port}`;
      socket = await openTunnel(socket, authority, proxy.authorization);
    }
    const connected = this.#monotonic();
    let secured = connected;
    let tls: TlsFacts | null = null;
    if (origin.secure) {
      const encrypted = await this.#tls
        .handshake(socket, origin.hostname, origin.port, this.#protocols)
        .catch((error) => {
          throw classifyTlsError(error);
        });
      tls = tlsFacts(encrypted);
      socket = encrypted;
      secured = this.#monotonic();
    }
    const phases = { dns: resolved - start, connect: connected - resolved, tls: secured - connected };
    return { socket, remoteAddress, tls, phases };
  }

  /** Whether the server still accepts TLS 1.0 or 1.1; null when that cannot be found out. Opens a connection of its own. */
  async acceptsOldTls(route: Route, signal: AbortSignal): Promise<boolean | null> {
    // A proxy may end the encryption itself, and what it accepts says nothing about the server.
    if (!route.origin.secure || route.proxy !== null) return null;
    const attempt: Attempt = { socket: null, over: null };
    const giveUp = () => attempt.socket?.destroy();
    const cancelTimer = this.#options.clock.after(this.#options.limits.connectMs, giveUp);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      const addresses = await this.#resolver.resolve(route.host);
      this.#check(route, addresses);
      if (signal.aborted) return null;
      const socket = await this.#connect(route.host, route.port, addresses, attempt);
      return await acceptsOldTls(socket, route.origin.hostname);
    } catch {
      return null;
    } finally {
      signal.removeEventListener("abort", giveUp);
      cancelTimer();
      giveUp();
    }
  }

  /** Learns where each trusted host is; from then on it has to stay there. One lookup for each, which connections use too. */
  async learnTrusted(): Promise<void> {
    const { trusted, proxy, allowPrivate } = this.#options;
    // Behind a proxy it is the proxy that resolves names.
    if (trusted === undefined || proxy !== null || allowPrivate || trusted.unknown.length > MOST_LEARNED) return;
    await Promise.all(
      trusted.unknown.map(async (host) => {
        const name = host.slice(0, host.lastIndexOf(":")).replace(/^\[|\]$/g, "");
        // If it cannot be resolved, or is refused, a request will say so.
        await this.#resolver
          .resolve(name)
          .then((addresses) => trusted.check(host, addresses))
          .catch(() => {});
      }),
    );
    trusted.stopLearning();
  }

  #check(route: Route, addresses: readonly ResolvedAddress[]): void {
    if (route.reach === "public") requirePublic(addresses);
    else if (route.reach === "internal") refuseMetadata(addresses);
    else if (route.reach === "trusted") this.#options.trusted!.check(route.origin.hostPort, addresses);
  }

  /** The proxy resolves names, so only those whose address is known without a lookup can be checked. */
  #checkName({ reach, host }: Route): void {
    const refused = refusedClass(host, reach);
    if (refused !== null) throw new FetchError("private_address", `${host} is ${refused}`);
  }

  #connect(host: string, port: number, addresses: readonly ResolvedAddress[], attempt: Attempt): Promise<Socket> {
    const only = addresses.length === 1 ? addresses[0]!.address : null;
    const socket = this.#dial({
      port,
      host: only ?? host,
      // Node tries the addresses in turn (RFC 8305); it must not look up the name again.
      ...(only === null ? { lookup: pinned(addresses) } : {}),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
    });
    attempt.socket = socket;
    this.#sockets.add(socket);
    return new Promise((resolve, reject) => {
      socket.on("error", reject);
      socket.once("close", () => reject(attempt.over ?? new FetchError("reset", "closed while connecting")));
      socket.once("connect", () => resolve(socket));
    });
  }
}

function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
}

/** With a proxy, an error while connecting is a proxy error. */
function atProxy(route: Route): (error: unknown) => never {
  return (error) => {
    const classified = classifyError(error);
    if (route.proxy === null) throw classified;
    throw new FetchError("proxy_failed", classified.detail ?? classified.code, { cause: error });
  };
}

/** A tunnel through an HTTP proxy (RFC 9110 section 9.3.6), after which the socket is connected to the target host. `authority` is `host:port`. */
export function openTunnel(socket: Socket, authority: string, authorization: string | null): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const connect = request({
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...(authorization === null ? {} : { "proxy-authorization": authorization }) },
      createConnection: () => socket,
    });
    const refuse = (detail: string, cause?: Error) => {
      socket.destroy();
      reject(new FetchError("proxy_failed", detail, { cause }));
    };
    connect.once("connect", (response, _socket, head) => {
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299) return refuse(`status ${status}`);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    // Some proxies refuse a CONNECT with a normal answer that has a body.
    connect.once("response", (response) => refuse(`status ${response.statusCode}`));
    connect.once("error", (error) => refuse(error.message, error));
    connect.end();
  });
}

/** Every TCP socket of a client, connecting ones included, so that "no socket is open" can be counted and awaited. */
export class SocketSet {
  readonly #open = new Set<Socket>();
  #whenEmpty: (() => void)[] = [];

  get size(): number {
    return this.#open.size;
  }

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once("close", () => {
      this.#open.delete(socket);
      if (this.#open.size > 0) return;
      for (const resolve of this.#whenEmpty) resolve();
      this.#whenEmpty = [];
    });
  }

  /** Resolves when the last socket has closed. */
  destroyAll(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }
}
