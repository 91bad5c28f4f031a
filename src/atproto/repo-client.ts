/**
 * Fetches a repo's CAR, with limits that let large repos through and hold no worker for a host that drips; and the
 * memory that all CARs in flight share.
 */

import { type Clock, systemClock } from "../kernel/clock.ts";
import { HttpClient, type HttpClientOptions, type Lookup } from "../net/client.ts";
import { parseConnectTo } from "../net/connection/route.ts";
import { readCertificates } from "../net/connection/tls-client.ts";
import type { HttpRequest } from "../net/http-types.ts";
import { type AtprotoConfig, workersOf } from "./atproto-config.ts";

/** `since`: only what changed since this rev; hosts that cannot do that send everything. */
export const repoRequest = (pds: string, did: string, since: string | null = null): HttpRequest => ({
  url: `${pds}/xrpc/com.atproto.sync.getRepo?did=${encodeURIComponent(did)}${since === null ? "" : `&since=${encodeURIComponent(since)}`}`,
  headers: { accept: "application/vnd.ipld.car", "accept-encoding": "gzip, zstd" },
});

/** Lanes allow fewer. */
const MOST_AT_A_HOST = 100;

/** The rate is measured over stretches of this: a host may pause, or be busy. */
const RATE_STRETCH_MS = 60_000;

export const createRepoClient = (config: AtprotoConfig, clock: Clock, lookup?: Lookup): HttpClient =>
  new HttpClient(clientOptions(config, clock, lookup));

/** How hosts are reached, for whatever protocol. */
export function clientOptions(config: AtprotoConfig, clock: Clock, lookup: Lookup | undefined): HttpClientOptions {
  return {
    userAgent: config.userAgent,
    headers: {},
    cookies: null,
    proxy: null,
    connectTo: config.connectTo.map(parseConnectTo),
    ca: config.ca === null ? null : readCertificates(config.ca),
    insecure: false,
    http2: false,
    connectionsPerOrigin: Math.min(workersOf(config), MOST_AT_A_HOST),
    // At two requests per second, the connection of a small host is still open for the next one.
    keepAliveMs: 4_000,
    allowPrivate: config.allowPrivate,
    cacheDir: null,
    cacheMaxAgeMs: 0,
    limits: {
      wireBytes: config.maxRepoSize,
      decodedBytes: config.maxRepoSize,
      // A large repo may take its time, as long as it keeps coming.
      totalMs: Number.POSITIVE_INFINITY,
      connectMs: config.connectTimeout * 1000,
      headersMs: config.firstByteTimeout * 1000,
      idleMs: config.idleTimeout * 1000,
      minBytesPerSecond: config.minRate,
      minRateGraceMs: RATE_STRETCH_MS,
      headerBytes: 64 * 1024,
    },
    clock,
    lookup,
    // If a clock is injected, limits are measured with it too.
    ...(clock === systemClock ? {} : { monotonic: () => clock.now() }),
  };
}

// The memory that all CARs in flight share. How large one is shows only while it comes, so a little is set aside first and
// the rest as it grows. A CAR that finds no room is given up, and fetched again once there is room for the largest.

/** Without it, 50 workers with repos of 100 MB would use 5 GB. Repos average 190 KB, so the limit is rarely reached. */
export const CAR_BUDGET_BYTES = 512 * 2 ** 20;

/** Reserved before the size is known. */
const USUAL_CAR_BYTES = 256 * 2 ** 10;

interface Waiting {
  bytes: number;
  begin: () => void;
}

export class CarBudget {
  readonly #largest: number;
  #free: number;
  #waiting: Waiting[] = [];

  /** `largest`: the maximum size of a CAR. There is always room for one of them. */
  constructor(largest: number, bytes = CAR_BUDGET_BYTES) {
    this.#largest = largest;
    this.#free = Math.max(largest, bytes);
  }

  get free(): number {
    return this.#free;
  }

  /** Resolves when there is room for a typical CAR, or for the largest; first come, first served. Rejects when given up. */
  async open(size: "usual" | "largest", signal: AbortSignal): Promise<CarShare> {
    signal.throwIfAborted();
    const bytes = size === "largest" ? this.#largest : Math.min(USUAL_CAR_BYTES, this.#largest);
    if (this.#waiting.length > 0 || !this.take(bytes)) await this.#wait(bytes, signal);
    return new CarShare(this, bytes);
  }

  take(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#free += bytes;
    this.#serve();
  }

  async #wait(bytes: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { bytes, begin: resolve };
    const giveUp = () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      reject(signal.reason);
      // The others may have been waiting for this one.
      this.#serve();
    };
    this.#waiting.push(waiting);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  #serve(): void {
    while (this.#waiting.length > 0 && this.take(this.#waiting[0]!.bytes)) this.#waiting.shift()!.begin();
  }
}

/** The memory reserved for one CAR. */
export class CarShare implements Disposable {
  readonly #budget: CarBudget;
  #bytes: number;
  #isRefused = false;

  constructor(budget: CarBudget, bytes: number) {
    this.#budget = budget;
    this.#bytes = bytes;
  }

  /** The CAR found no room. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Whether it may use this many bytes in total. */
  grow(bytes: number): boolean {
    if (bytes <= this.#bytes) return true;
    if (!this.#budget.take(bytes - this.#bytes)) {
      this.#isRefused = true;
      return false;
    }
    this.#bytes = bytes;
    return true;
  }

  /** The CAR is complete, and has this many bytes; false when there is no room for it. */
  settle(bytes: number): boolean {
    if (!this.grow(bytes)) return false;
    this.#budget.giveBack(this.#bytes - bytes);
    this.#bytes = bytes;
    return true;
  }

  [Symbol.dispose](): void {
    this.#budget.giveBack(this.#bytes);
    this.#bytes = 0;
  }
}
