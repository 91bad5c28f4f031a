/** A partition that this worker holds: idle, run by a crawl, or being stopped. */
import type { Clock } from "../kernel/clock.ts";
import type { FetchPermits } from "../net/fetch-permits.ts";
import type { CommitGroup } from "./commit-group.ts";
import type { PartInbox } from "./inbox.ts";
import type { Lease } from "./lease.ts";
import type { Connection } from "./postgres/connection.ts";
import type { HostNow } from "./worker-report.ts";

/** What a worker needs from the crawl that runs a partition. */
export interface PartCrawl {
  readonly ended: Promise<{ state: string; error: unknown }>;
  progress(): { crawled: number; open: number; errors: number };
  /** What its hosts are doing, and why they wait. */
  hosts(limit: number): HostNow[];
  /** Tasks that wait for hosts that were given up. */
  parked(): number;
  pause(): Promise<void>;
  resume(): void;
  stop(): Promise<unknown>;
}

export interface PartTools {
  part: number;
  group: CommitGroup;
  reading: Connection;
  inbox: PartInbox;
  permits: FetchPermits;
  clock: Clock;
  maySend: () => boolean;
}

export type RunPart = (tools: PartTools) => Promise<PartCrawl>;

export class HeldPart {
  readonly lease: Lease;
  #starting: Promise<PartCrawl> | null = null;
  #crawl: PartCrawl | null = null;
  /** URLs that were fetched before this worker took it. */
  #before = { crawled: 0, errors: 0 };
  #stopped: Promise<void> | null = null;
  #isPaused = false;

  constructor(lease: Lease) {
    this.lease = lease;
  }

  get isRunning(): boolean {
    return this.#starting !== null;
  }

  get isStopping(): boolean {
    return this.#stopped !== null;
  }

  /** As far as its worker knows, nothing is left to do. */
  get isDone(): boolean {
    return !this.isRunning || this.#crawl?.progress().open === 0;
  }

  /** URLs fetched by this worker. */
  get pages(): number {
    return this.#crawl === null ? 0 : this.#crawl.progress().crawled - this.#before.crawled;
  }

  /** How many of these got no answer. */
  get errors(): number {
    return this.#crawl === null ? 0 : this.#crawl.progress().errors - this.#before.errors;
  }

  hosts(): HostNow[] {
    return this.#crawl?.hosts(Number.POSITIVE_INFINITY) ?? [];
  }

  /** `onEnd` is called when it ended without being stopped. */
  start(run: () => Promise<PartCrawl>, onEnd: (error: unknown) => void): void {
    this.#starting = run();
    this.#starting.then(
      (crawl) => {
        this.#crawl = crawl;
        this.#before = crawl.progress();
        void crawl.ended.then(({ error }) => this.isStopping || onEnd(error));
      },
      (error) => this.isStopping || onEnd(error),
    );
  }

  /**
   * How many open tasks wait for hosts that were given up; null while memory and database disagree about the number of
   * open tasks.
   */
  parkedOf(open: number): number | null {
    if (this.#crawl === null || this.#crawl.progress().open !== open) return null;
    return this.#crawl.parked();
  }

  async pause(): Promise<void> {
    this.#isPaused = true;
    const crawl = await this.#starting?.catch(() => null);
    // It may have been resumed while it started.
    if (this.#isPaused) await crawl?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#crawl?.resume();
  }

  /** Resolves when no request is in flight, and what was fetched is committed or refused. */
  stop(): Promise<void> {
    // A running crawl is told at once: no request may follow, not even in this turn of the event loop.
    const stopping = this.#crawl?.stop();
    this.#stopped ??= (async () => {
      await stopping;
      const crawl = await this.#starting?.catch(() => null);
      await crawl?.stop();
    })();
    return this.#stopped;
  }
}
