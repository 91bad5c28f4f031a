/**
 * Fetches a repo's CAR, with limits that let large repos through and hold no worker for a host that drips; and the
 * memory that all CARs in flight share.
 */

import { type Clock, systemClock } from "../kernel/clock.ts";
import type { BodyOverflow } from "../net/body-intake.ts";
import { HttpClient, type HttpClientOptions, type Lookup } from "../net/client.ts";
import { parseConnectTo } from "../net/connection/route.ts";
import { readCertificates } from "../net/connection/tls-client.ts";
import type { HttpRequest } from "../net/http-types.ts";
import { type AtprotoConfig, workersOf } from "./atproto-config.ts";
import type { CarDisk, CarFile } from "./car-disk.ts";

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
// the rest as it grows. A CAR that finds no room while it comes, or grows while others wait for room, goes to a file, and uses no
// memory until it is whole and there is room for the largest: a host that sends slowly holds up nobody else. If the disk has no
// room either, the CAR is given up, and fetched again once memory has room for the largest.

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
  readonly #disk: CarDisk | null;

  /** `largest`: the maximum size of a CAR. There is always room for one of them. `disk`: null to use memory alone. */
  constructor(largest: number, disk: CarDisk | null, bytes = CAR_BUDGET_BYTES) {
    this.#largest = largest;
    this.#disk = disk;
    this.#free = Math.max(largest, bytes);
  }

  get free(): number {
    return this.#free;
  }

  /** Resolves when there is room for a typical CAR, or for the largest; first come, first served. Rejects when given up. */
  async open(size: "usual" | "largest", signal: AbortSignal): Promise<CarShare> {
    return new CarShare(this, await this.reserve(size, signal), signal);
  }

  /** As `open`, without a share; returns the bytes. */
  async reserve(size: "usual" | "largest", signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    const bytes = size === "largest" ? this.#largest : Math.min(USUAL_CAR_BYTES, this.#largest);
    if (this.#waiting.length > 0 || !this.take(bytes)) await this.#wait(bytes, signal);
    return bytes;
  }

  /** Whether CARs that grow should go to files, because others wait for memory. */
  get isWanted(): boolean {
    return this.#waiting.length > 0 && this.#disk?.hasRoom(this.#largest) === true;
  }

  /** A file for one CAR; null when there is none. */
  openFile(): CarFile | null {
    return this.#disk?.open(this.#largest) ?? null;
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

/** The memory reserved for one CAR, or its file. */
export class CarShare implements Disposable {
  readonly #budget: CarBudget;
  readonly #signal: AbortSignal;
  #bytes: number;
  #file: CarFile | null = null;
  #isRefused = false;

  constructor(budget: CarBudget, bytes: number, signal: AbortSignal) {
    this.#budget = budget;
    this.#bytes = bytes;
    this.#signal = signal;
  }

  /** The CAR found no room. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Whether it may use this many bytes in total while it comes. */
  grow(bytes: number): boolean {
    return bytes <= this.#bytes || (this.#budget.isWanted ? this.#refuse() : this.#take(bytes));
  }

  /** The CAR is complete, and has this many bytes; false when there is no room for it. */
  settle(bytes: number): boolean {
    if (bytes > this.#bytes && !this.#take(bytes)) return false;
    this.#budget.giveBack(this.#bytes - bytes);
    this.#bytes = bytes;
    return true;
  }

  /** A file for a CAR that was refused, which needs no memory then; null when the disk has no room for it. */
  overflow(): BodyOverflow | null {
    const file = this.#budget.openFile();
    if (file === null) return null;
    this.#closeFile();
    this.#file = file;
    this.#isRefused = false;
    this.#giveBack();
    const write = (bytes: Buffer) => {
      const written = file.write(bytes);
      return written === true || this.#onDisk(written);
    };
    return { write, read: () => this.#read(file) };
  }

  [Symbol.dispose](): void {
    this.#giveBack();
    this.#closeFile();
  }

  /** Once there is room for the largest: it may be compressed. */
  async #read(file: CarFile): Promise<Buffer> {
    await this.#onDisk(file.length());
    this.#bytes = await this.#budget.reserve("largest", this.#signal);
    const bytes = await this.#onDisk(file.read());
    this.#closeFile();
    return bytes;
  }

  /** A disk that fails is not the fault of the host: the CAR is fetched again when memory has room. */
  async #onDisk<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.#refuse();
      throw error;
    }
  }

  #take(bytes: number): boolean {
    if (!this.#budget.take(bytes - this.#bytes)) return this.#refuse();
    this.#bytes = bytes;
    return true;
  }

  #refuse(): false {
    this.#isRefused = true;
    return false;
  }

  #giveBack(): void {
    const bytes = this.#bytes;
    this.#bytes = 0;
    this.#budget.giveBack(bytes);
  }

  #closeFile(): void {
    // It has no name, and what was in it is not needed any more.
    this.#file?.close().catch(() => {});
    this.#file = null;
  }
}
