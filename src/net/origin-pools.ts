/** The pools of all origins; the number of idle ones is limited, so that thousands of external hosts do not accumulate. */
import type { Connector } from "./connection/connector.ts";
import type { Router } from "./connection/route.ts";
import { FetchError } from "./fetch-errors.ts";
import type { HttpClientOptions } from "./http-types.ts";
import { originOf } from "./origin.ts";
import { OriginPool, type PoolEvents } from "./origin-pool.ts";
import { originHeaders } from "./request-headers.ts";

/** Idle origins that keep their connections: enough for a site and the hosts of its assets, and far below limits on open files. */
const MAX_IDLE = 128;

export class OriginPools {
  readonly #options: HttpClientOptions;
  readonly #router: Router;
  readonly #connector: Connector;
  readonly #pools = new Map<string, OriginPool>();
  /** Oldest first. */
  readonly #idle = new Set<OriginPool>();
  #whenIdle: (() => void)[] = [];

  constructor(options: HttpClientOptions, router: Router, connector: Connector) {
    this.#options = options;
    this.#router = router;
    this.#connector = connector;
  }

  get size(): number {
    return this.#pools.size;
  }

  /** The pool for a URL's origin. Use it at once: an idle pool may be forgotten. */
  for(url: URL): OriginPool {
    let pool = this.#pools.get(url.origin);
    if (pool === undefined) {
      const origin = originOf(url);
      const headers = originHeaders(this.#options, origin);
      const route = this.#router.route(origin);
      if (route.forwarded && this.#router.proxyAuthorization !== null) {
        headers.push("proxy-authorization", this.#router.proxyAuthorization);
      }
      pool = new OriginPool(route, headers, this.#options, this.#connector, this.#events);
      this.#pools.set(origin.key, pool);
      this.#rest(pool);
    }
    return pool;
  }

  isConnected(url: URL): boolean {
    return this.#pools.get(url.origin)?.isConnected ?? false;
  }

  /** Closes unused connections: their file descriptors are needed. */
  closeIdle(): void {
    for (const pool of [...this.#idle]) this.#forget(pool);
  }

  /** Resolves when no request runs or waits anywhere. */
  idle(): Promise<void> {
    if (this.#busy === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  destroy(reason: FetchError): void {
    for (const pool of this.#pools.values()) pool.destroy(reason);
    this.#pools.clear();
    this.#idle.clear();
  }

  get #busy(): number {
    return this.#pools.size - this.#idle.size;
  }

  readonly #events: PoolEvents = {
    busy: (pool) => {
      this.#idle.delete(pool);
    },
    idle: (pool) => {
      if (this.#pools.get(pool.route.origin.key) !== pool) return;
      this.#rest(pool);
      if (this.#busy > 0) return;
      for (const resolve of this.#whenIdle) resolve();
      this.#whenIdle = [];
    },
    empty: (pool) => {
      if (this.#idle.has(pool)) this.#forget(pool);
    },
  };

  #rest(pool: OriginPool): void {
    this.#idle.add(pool);
    if (this.#idle.size > MAX_IDLE) this.#forget(this.#idle.values().next().value!);
  }

  #forget(pool: OriginPool): void {
    this.#idle.delete(pool);
    this.#pools.delete(pool.route.origin.key);
    pool.destroy(new FetchError("closed"));
  }
}
