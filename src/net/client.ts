/** The HTTP client: one fetch is one request and its answer; a redirect is returned like any other answer. */

import { processBodies } from "./body-budget.ts";
import { refusedClass } from "./connection/address-guard.ts";
import { Connector, SocketSet } from "./connection/connector.ts";
import { systemLookup } from "./connection/resolver.ts";
import { Router } from "./connection/route.ts";
import type { CookieJar } from "./cookie-jar.ts";
import { Watch } from "./deadlines.ts";
import { Exchange, type ExchangeContext } from "./exchange.ts";
import { FetchError } from "./fetch-errors.ts";
import type { PermitLine } from "./fetch-permits.ts";
import { type HeaderPairs, headerValue, headerValues } from "./headers.ts";
import { HttpCache } from "./http-cache.ts";
import type { HttpClientOptions, HttpRequest, HttpResponse, OnExchange } from "./http-types.ts";
import { Leaving } from "./leaving.ts";
import { MachineTrouble } from "./machine-trouble.ts";
import { originOf, parseHttpUrl, requestTarget } from "./origin.ts";
import { OriginPools } from "./origin-pools.ts";
import { requestHeaders } from "./request-headers.ts";

export type {
  Dial,
  ExchangeReport,
  FetchLimits,
  HttpClientOptions,
  HttpRequest,
  HttpResponse,
  Lookup,
  OnExchange,
  ResolvedAddress,
  Timings,
  TlsFacts,
  Truncation,
} from "./http-types.ts";

export class HttpClient {
  readonly #sockets = new SocketSet();
  readonly #signals = new AbortSignals();
  readonly #connector: Connector;
  readonly #router: Router;
  readonly #pools: OriginPools;
  readonly #context: ExchangeContext;
  readonly #cookies: CookieJar | null;
  readonly #cache: HttpCache | null;
  readonly #line: PermitLine | null;
  readonly #machine: MachineTrouble;
  readonly #maySend: (() => boolean) | null;
  readonly #leaving: Leaving | null;
  readonly #onExchange: OnExchange | null;
  readonly #now: () => number;
  #closed = false;

  constructor(options: HttpClientOptions) {
    const monotonic = options.monotonic ?? (() => performance.now());
    this.#connector = new Connector(options, this.#sockets, monotonic);
    this.#router = new Router(options);
    this.#pools = new OriginPools(options, this.#router, this.#connector);
    const { limits, bodies = processBodies } = options;
    this.#context = { limits, bodies, monotonic, watch: new Watch(options.clock, monotonic, options.limits) };
    this.#line = options.permits?.line() ?? null;
    this.#maySend = options.maySend ?? null;
    this.#machine = new MachineTrouble({
      clock: options.clock,
      monotonic,
      lookup: options.lookup ?? systemLookup,
      onShortage: () => this.#pools.closeIdle(),
      onChange: options.onTrouble ?? (() => {}),
    });
    this.#cookies = options.cookies;
    this.#leaving = options.onLeft === undefined ? null : new Leaving(options.onLeft, options.beforeResend);
    this.#onExchange = options.onExchange ?? null;
    this.#now = options.clock.now;
    this.#cache =
      options.cacheDir === null ? null : new HttpCache(options.cacheDir, options.cacheMaxAgeMs, options.clock.now);
  }

  /** Rejects with a FetchError; with the TrawlError MACHINE_TROUBLE if this machine can make no requests any more. */
  fetch(request: HttpRequest): Promise<HttpResponse> {
    try {
      if (this.#closed) throw new FetchError("closed");
      if (request.signal?.aborted) throw new FetchError("aborted");
      const url = parseHttpUrl(request.url);
      const cache = request.body === undefined ? this.#cache : null;
      return cache === null ? this.#fetchNow(url, request) : this.#fetchCached(cache, url, request);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Learns where the trusted hosts are. Later, a host that is elsewhere is refused. */
  learnTrusted(): Promise<void> {
    return this.#connector.learnTrusted();
  }

  /** Whether a request would be refused because of the address that its URL names. Of a host name, only a request can tell. */
  refuses(url: string): boolean {
    const { host, reach } = this.#router.route(originOf(new URL(url)));
    return refusedClass(host, reach) !== null;
  }

  /** Whether the origin of this URL still accepts TLS 1.0 or 1.1; null when that cannot be found out. */
  acceptsOldTls(url: string, signal: AbortSignal): Promise<boolean | null> {
    return this.#connector.acceptsOldTls(this.#router.route(originOf(new URL(url))), signal);
  }

  /** Whether a connection to the origin of this URL is open. */
  isConnected(url: string): boolean {
    return this.#pools.isConnected(new URL(url));
  }

  /** Whether a request to the host, with its port if that is not the usual one, waits to be sent. */
  isLeaving(host: string): boolean {
    return this.#leaving?.isWaiting(host) ?? false;
  }

  /** TCP sockets, including those still connecting. */
  openSockets(): number {
    return this.#sockets.size;
  }

  /** Accepts no new requests, lets the running ones finish, then closes every connection. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#line?.empty();
    await this.#pools.idle();
    await this.destroy();
  }

  /** Fails every request and resolves when every socket is closed. */
  async destroy(): Promise<void> {
    this.#closed = true;
    const reason = new FetchError("closed");
    this.#line?.destroy(reason);
    this.#machine.destroy(reason);
    this.#pools.destroy(reason);
    await this.#sockets.destroyAll();
  }

  async #fetchCached(cache: HttpCache, url: URL, request: HttpRequest): Promise<HttpResponse> {
    const plain = { ...request, etag: null, lastModified: null };
    const headers = requestHeaders(this.#pools.for(url).headers, plain, this.#cookieFor(url));
    const key = cache.key(request.method ?? "GET", url.href, headers);
    const stored = await cache.read(key);
    if (stored !== null) {
      if (!request.dropsCookies) this.#keepCookies(url, stored.headers);
      return stored;
    }
    const response = await this.#fetchNow(url, request);
    // The answer to a conditional request cannot answer an unconditional one.
    if (response.status !== 304) await cache.write(key, response);
    return response;
  }

  #fetchNow(url: URL, request: HttpRequest): Promise<HttpResponse> {
    return this.#machine.run(url, request.signal, () => {
      if (this.#closed) throw new FetchError("closed");
      if (request.signal?.aborted) throw new FetchError("aborted");
      return this.#send(url, request);
    });
  }

  #send(url: URL, request: HttpRequest): Promise<HttpResponse> {
    const pool = this.#pools.for(url);
    const exchange = new Exchange(
      url.href,
      {
        method: request.method ?? "GET",
        path: pool.route.forwarded ? url.href : requestTarget(url, pool.route.origin.key),
        headers: requestHeaders(pool.headers, request, this.#cookieFor(url)),
        ...(request.body === undefined ? {} : { body: request.body }),
      },
      this.#contextOf(request),
    );
    exchange.mayGrow = request.mayGrow ?? null;
    exchange.overflow = request.overflow ?? null;
    exchange.share = request.share ?? null;
    exchange.onSent = request.onSent ?? null;
    exchange.maySend = this.#maySend;
    const { signal } = request;
    if (signal !== undefined) {
      this.#signals.add(signal, exchange);
      exchange.onSettled = () => this.#signals.delete(signal, exchange);
    }
    if (this.#cookies !== null && !request.dropsCookies)
      exchange.onHeaders = (headers) => this.#keepCookies(url, headers);
    if (this.#onExchange !== null) this.#observe(exchange, this.#onExchange);
    this.#leaving?.watch(exchange, url.host);
    if (this.#line !== null) this.#submitInLine(this.#line, url, exchange, signal);
    else if (this.#maySend?.() !== false) pool.submit(exchange);
    else refuse(exchange, signal);
    return exchange.response;
  }

  #observe(exchange: Exchange, onExchange: OnExchange): void {
    const tell = (outcome: HttpResponse | FetchError) => {
      const report = exchange.report(outcome, this.#now());
      if (report !== null) onExchange(report);
    };
    exchange.onResend = tell;
    void exchange.response.then(tell, tell);
  }

  #submitInLine(line: PermitLine, url: URL, exchange: Exchange, signal: AbortSignal | undefined): void {
    const forget = exchange.onSettled;
    line.enter(exchange, () => {
      exchange.onSettled = () => {
        forget?.();
        line.leave();
      };
      // Looked up again: the pool may have been forgotten while the exchange waited.
      if (this.#maySend?.() !== false) this.#pools.for(url).submit(exchange);
      else refuse(exchange, signal);
    });
  }

  #contextOf({ leastBytes = 0 }: HttpRequest): ExchangeContext {
    const { wireBytes, decodedBytes } = this.#context.limits;
    if (leastBytes <= Math.min(wireBytes, decodedBytes)) return this.#context;
    const sizes = { wireBytes: Math.max(wireBytes, leastBytes), decodedBytes: Math.max(decodedBytes, leastBytes) };
    return { ...this.#context, limits: { ...this.#context.limits, ...sizes } };
  }

  /** Cookies of a cached answer count too: without them, later answers would not be found in the cache. */
  #keepCookies(url: URL, headers: HeaderPairs): void {
    if (this.#cookies !== null && headerValue(headers, "set-cookie") !== null) {
      this.#cookies.store(url, headerValues(headers, "set-cookie"));
    }
  }

  #cookieFor(url: URL): string | null {
    return this.#cookies?.header(url) ?? null;
  }
}

interface Abortable {
  abort(): void;
}

interface Group {
  members: Set<Abortable>;
  listener: () => void;
}

/** Abort signals of running fetches: one listener per signal, however many fetches share it, removed when the last ends. */
export class AbortSignals {
  readonly #groups = new Map<AbortSignal, Group>();

  add(signal: AbortSignal, member: Abortable): void {
    let group = this.#groups.get(signal);
    if (group === undefined) {
      const members = new Set<Abortable>();
      const listener = () => {
        this.#groups.delete(signal);
        for (const each of members) each.abort();
      };
      group = { members, listener };
      this.#groups.set(signal, group);
      signal.addEventListener("abort", listener, { once: true });
    }
    group.members.add(member);
  }

  delete(signal: AbortSignal, member: Abortable): void {
    const group = this.#groups.get(signal);
    if (group === undefined || !group.members.delete(member) || group.members.size > 0) return;
    this.#groups.delete(signal);
    signal.removeEventListener("abort", group.listener);
  }
}

/**
 * A request that may not be sent any more waits for whoever stops its crawl: failed at once, it would be taken for the host's
 * failure, and tried again or written down.
 */
function refuse(exchange: Exchange, signal: AbortSignal | undefined): void {
  if (signal === undefined) exchange.fail(new FetchError("aborted"));
}
