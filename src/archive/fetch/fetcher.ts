/** Fetches for an archive: directly, or through the next proxy that is not resting. */
import type { Clock } from "../../kernel/clock.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../../net/client.ts";
import { FetchError } from "../../net/fetch-errors.ts";
import { serverDelay } from "../../net/headers.ts";
import type { ArchiveConfig } from "../config/archive-config.ts";
import { createClient, type Reach } from "./archive-client.ts";
import { ProxyPool, proxyId } from "./proxy-pool.ts";

export interface Fetched {
  response: HttpResponse;
  /** Null without proxies. */
  proxyId: string | null;
}

export interface FetcherOptions {
  config: ArchiveConfig;
  reach: Reach;
  clock: Clock;
  random: () => number;
}

export class Fetcher {
  readonly #clients: HttpClient[];
  readonly #pool: ProxyPool<HttpClient> | null;
  readonly #clock: Clock;

  constructor({ config, reach, clock, random }: FetcherOptions) {
    const proxies = config.proxies.enabled ? config.proxies.pool : [];
    this.#clock = clock;
    this.#clients = (proxies.length === 0 ? [null] : proxies).map((proxy) => createClient(config, reach, proxy, clock));
    const members = proxies.map((proxy, index) => ({ id: proxyId(proxy), value: this.#clients[index]! }));
    this.#pool = members.length === 0 ? null : new ProxyPool(members, config.proxies, clock, random);
  }

  /** When a request can be made: now, or when the first proxy is available again. */
  readyAt(): number {
    return this.#pool?.awakeAt() ?? 0;
  }

  async fetch(request: HttpRequest): Promise<Fetched> {
    const pool = this.#pool;
    if (pool === null) return { response: await this.#clients[0]!.fetch(request), proxyId: null };
    const picked = pool.pick();
    if (picked === null) throw new FetchError("proxy_failed", "every proxy rests");
    try {
      const response = await picked.value.fetch(request);
      const forMs = serverDelay(response.headers, this.#clock.now());
      pool.report(picked.id, { status: response.status, throttled: response.status === 429, forMs });
      return { response, proxyId: picked.id };
    } catch (error) {
      // A proxy that lets nothing through rests like one that was told to slow down; the others continue.
      const refused = error instanceof FetchError && error.code === "proxy_failed";
      pool.report(picked.id, { status: null, throttled: refused, forMs: null });
      throw error;
    }
  }

  openSockets(): number {
    return this.#clients.reduce((sum, client) => sum + client.openSockets(), 0);
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.destroy()));
  }
}
