/** The HTTP client: one fetch is one request and its answer; a redirect is returned like any other answer. */
import { Connector, SocketSet } from "./connector.ts";
import type { CookieJar } from "./cookie-jar.ts";
import { Watch } from "./deadlines.ts";
import { Exchange, type ExchangeContext } from "./exchange.ts";
import { FetchError } from "./fetch-errors.ts";
import type { PermitLine } from "./fetch-permits.ts";
import { type HeaderPairs, headerValue, headerValues } from "./headers.ts";
import { HttpCache } from "./http-cache.ts";
import type { HttpClientOptions, HttpRequest, HttpResponse, OnExchange } from "./http-types.ts";
import { parseHttpUrl, requestTarget } from "./origin.ts";
import { OriginPools } from "./origin-pools.ts";
import { requestHeaders } from "./request-headers.ts";
import { Router } from "./route.ts";

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
  Truncation,
} from "./http-types.ts";

export class HttpClient {
  readonly #sockets = new SocketSet();
  readonly #signals = new AbortSignals();
  readonly #pools: OriginPools;
  readonly #context: ExchangeContext;
  readonly #cookies: CookieJar | null;
  readonly #cache: HttpCache | null;
  readonly #line: PermitLine | null;
  readonly #onExchange: OnExchange | null;
  readonly #now: () => number;
  #closed = false;

  constructor(options: HttpClientOptions) {
    const monotonic = options.monotonic ?? (() => performance.now());
    const connector = new Connector(options, this.#sockets, monotonic);
    this.#pools = new OriginPools(options, new Router(options), connector);
    this.#context = { limits: options.limits, monotonic, watch: new Watch(options.clock, monotonic, options.limits) };
    this.#line = options.permits?.line() ?? null;
    this.#cookies = options.cookies;
    this.#onExchange = options.onExchange ?? null;
    this.#now = options.clock.now;
    this.#cache =
      options.cacheDir === null ? null : new HttpCache(options.cacheDir, options.cacheMaxAgeMs, options.clock.now);
  }

  /** Rejects only with a FetchError. */
  fetch(request: HttpRequest): Promise<HttpResponse> {
    try {
      if (this.#closed) throw new FetchError("closed");
      if (request.signal?.aborted) throw new FetchError("aborted");
      const url = parseHttpUrl(request.url);
      const cache = request.body === undefined ? this.#cache : null;
      return cache === null ? this.#send(url, request) : this.#fetchCached(cache, url, request);
    } catch (error) {
      return Promise.reject(error);
    }
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
    this.#pools.destroy(reason);
    await this.#sockets.destroyAll();
  }

  async #fetchCached(cache: HttpCache, url: URL, request: HttpRequest): Promise<HttpResponse> {
    const plain = { ...request, etag: null, lastModified: null };
    const headers = requestHeaders(this.#pools.for(url).headers, plain, this.#cookieFor(url));
    const key = cache.key(request.method ?? "GET", url.href, headers);
    const stored = await cache.read(key);
    if (stored !== null) {
      this.#keepCookies(url, stored.headers);
      return stored;
    }
    if (this.#closed) throw new FetchError("closed");
    if (request.signal?.aborted) throw new FetchError("aborted");
    const response = await this.#send(url, request);
    // The answer to a conditional request cannot answer an unconditional one.
    if (response.status !== 304) await cache.write(key, response);
    return response;
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
    const { signal } = request;
    if (signal !== undefined) {
      this.#signals.add(signal, exchange);
      exchange.onSettled = () => this.#signals.delete(signal, exchange);
    }
    if (this.#cookies !== null) exchange.onHeaders = (headers) => this.#keepCookies(url, headers);
    if (this.#onExchange !== null) this.#observe(exchange, this.#onExchange);
    if (this.#line === null) pool.submit(exchange);
    else this.#submitInLine(this.#line, url, exchange);
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

  #submitInLine(line: PermitLine, url: URL, exchange: Exchange): void {
    const forget = exchange.onSettled;
    line.enter(exchange, () => {
      exchange.onSettled = () => {
        forget?.();
        line.leave();
      };
      // Looked up again: the pool may have been forgotten while the exchange waited.
      this.#pools.for(url).submit(exchange);
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
