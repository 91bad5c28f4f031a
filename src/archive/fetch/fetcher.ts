/** Fetches for an archive: directly, or through the next proxy that is not resting. */

import type { Clock } from "../../kernel/clock.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../../net/client.ts";
import { FetchError } from "../../net/fetch-errors.ts";
import { serverDelay } from "../../net/headers.ts";
import type { ArchiveConfig } from "../config/archive-config.ts";
import { createClient, type Reach } from "./archive-client.ts";

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

  isConnected(url: string): boolean {
    return this.#clients.some((client) => client.isConnected(url));
  }

  openSockets(): number {
    return this.#clients.reduce((sum, client) => sum + client.openSockets(), 0);
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.destroy()));
  }
}

/**
 * Chooses the proxy for the next request. A proxy that was told to slow down rests; the lane sets the pace for the
 * host.
 */
export interface ProxyResult {
  /** Null when there was no answer. */
  status: number | null;
  throttled: boolean;
  /** How long the proxy was told to wait. */
  forMs: number | null;
}

interface Member<T> {
  id: string;
  value: T;
  restsUntil: number;
}

export interface Picked<T> {
  id: string;
  value: T;
}

export class ProxyPool<T> {
  readonly #members: Member<T>[];
  readonly #settings: Pick<ArchiveConfig["proxies"], "rotation_strategy" | "rest_sec">;
  readonly #clock: Clock;
  readonly #random: () => number;
  #next = 0;

  constructor(
    members: { id: string; value: T }[],
    settings: Pick<ArchiveConfig["proxies"], "rotation_strategy" | "rest_sec">,
    clock: Clock,
    random: () => number,
  ) {
    this.#members = members.map((member) => ({ ...member, restsUntil: 0 }));
    this.#settings = settings;
    this.#clock = clock;
    this.#random = random;
  }

  /** A proxy that is not resting; null while all of them are. */
  pick(): Picked<T> | null {
    const now = this.#clock.now();
    const awake = this.#members.filter((member) => member.restsUntil <= now);
    if (awake.length === 0) return null;
    if (this.#settings.rotation_strategy === "random") return awake[Math.floor(this.#random() * awake.length)]!;
    // The next available one in the list, so that a rest does not change whose turn it is.
    for (;;) {
      const member = this.#members[this.#next++ % this.#members.length]!;
      if (member.restsUntil <= now) return member;
    }
  }

  /** When the first of them can be used again. */
  awakeAt(): number {
    return Math.min(...this.#members.map((member) => member.restsUntil));
  }

  report(id: string, { throttled, forMs }: ProxyResult): void {
    const member = this.#members.find((one) => one.id === id);
    if (member === undefined || !throttled) return;
    const rest = Math.max(forMs ?? 0, this.#settings.rest_sec * 1000);
    member.restsUntil = Math.max(member.restsUntil, this.#clock.now() + rest);
  }
}

/** Host and port: a proxy's password does not belong in the metadata. */
export const proxyId = (url: string): string => new URL(url).host;
