/**
 * A site crawl, assembled from one config: client, browser, product, ledger and kernel. The caller passes in the store
 * and the sources of URLs.
 */

import { type Clock, systemClock } from "../kernel/clock.ts";
import { Crawl, type CrawlEnd, type CrawlLimits, type CrawlState, DEFAULT_CRAWL_LIMITS } from "../kernel/crawl.ts";
import { isGivenUp, type LaneReport } from "../kernel/lane.ts";
import type { Note } from "../kernel/ledger.ts";
import type { Product } from "../kernel/product.ts";
import { PRIVATE_FOLDER } from "../kernel/sqlite/private-files.ts";
import type { HttpClient, Lookup, OnExchange } from "../net/client.ts";
import type { FetchPermits } from "../net/fetch-permits.ts";
import type { Renderer } from "../render/renderer.ts";
import { type DiskSpace, watchDisk } from "../storage/disk-space.ts";
import { ensureFolder } from "../storage/ensure-folder.ts";
import { prepareFilters } from "../web/filter.ts";
import { withoutSecretHeaders } from "./client/request-trace.ts";
import { launchRenderer, renderWith } from "./client/site-browser.ts";
import { createClient, siteCookies } from "./client/site-client.ts";
import { StartHosts } from "./client/start-hosts.ts";
import { type HostReport, hostReport } from "./host-report.ts";
import type { SiteMeta } from "./links/link-kinds.ts";
import { type Failure, RecentFailures } from "./recent-failures.ts";
import type { SiteConfig } from "./site-config.ts";
import type { UrlAction } from "./site-gate.ts";
import { SiteProduct } from "./site-product.ts";
import type { SiteEvents, SiteRecord } from "./site-record.ts";
import { listedSource, type SiteSources } from "./site-seeds.ts";
import { Baseline } from "./store/baseline.ts";
import type { SiteStore } from "./store/site-store.ts";
import type { StoppedTrap } from "./traps/trap-watch.ts";
import { siteCanonicalizer, siteScope } from "./url-rules.ts";

/** One part of a crawl that several machines share: the hosts that belong to it. */
export interface SiteShare {
  owns: (url: string) => boolean;
  /** Sees every outcome, and passes on what belongs to another part. */
  wrap: (product: Product<SiteRecord, SiteMeta>) => Product<unknown, SiteMeta>;
  maySend: () => boolean;
}

export interface SiteCrawlOptions {
  /** Opened only when nothing can prevent the crawl any more, because it may start a thread that has to be closed. */
  store: () => SiteStore;
  config: SiteConfig;
  /** Canonical URLs whose hosts are the site. */
  startUrls: string[];
  /** Where URLs come from first. */
  sources: SiteSources;
  /** The database of an earlier crawl, for conditional requests. */
  baseline?: string | null;
  onUrl?: (url: string) => UrlAction | undefined;
  events?: SiteEvents;
  isFull?: () => boolean;
  /** Where the crawl is stored: nothing is fetched while it is almost full. */
  disk?: DiskSpace;
  /** A cap on requests in flight that several crawls share. */
  permits?: FetchPermits;
  share?: SiteShare;
  /** Called for every request of the crawl, except those of the browser, without secrets. */
  onExchange?: OnExchange;
  /** What a crawl that this one repeats has learned about its start hosts. */
  hostNotes?: Note[];
  lookup?: Lookup;
  clock?: Clock;
  random?: () => number;
}

const DISK_FULL = "The disk is almost full: the crawl waits until there is room again.";

/** Pages that are fetched before it is known that they are a trap's are fetched in vain. */
const EARLY_AHEAD = 256;
const crawlLimits = ({ parallelism }: SiteConfig): CrawlLimits => ({
  ...DEFAULT_CRAWL_LIMITS,
  parallelism,
  earlyAhead: Math.max(EARLY_AHEAD, 2 * parallelism),
});

export interface SiteProgress {
  state: CrawlState;
  discovered: number;
  crawled: number;
  open: number;
  recorded: number;
  skipped: number;
  errors: number;
  retries: number;
  inFlight: number;
  /** What is wrong with this machine, making the crawl slow or wait; null when nothing is. */
  trouble: string | null;
}

const traceOf = ({ onExchange, config }: SiteCrawlOptions): OnExchange | undefined =>
  onExchange && withoutSecretHeaders(onExchange, config.headers);

export class SiteCrawl {
  readonly #crawl: Crawl<unknown, SiteMeta>;
  readonly #client: HttpClient;
  readonly #product: SiteProduct;
  readonly #failures = new RecentFailures();
  readonly #hostReport: (report: LaneReport) => HostReport;
  #trouble: string | null = null;
  #isDiskFull = false;

  /** Resolves when the crawl runs. */
  static async start(options: SiteCrawlOptions): Promise<SiteCrawl> {
    const { config, startUrls, lookup, clock = systemClock } = options;
    // The other parts of a shared crawl look after their own.
    const hosts = new StartHosts(startUrls.filter(options.share?.owns ?? (() => true)), options.hostNotes);
    const reach = { trusted: hosts.trusted, lookup };
    for (const patterns of [config.include, config.exclude]) await prepareFilters(patterns);
    const renderer = config.render ? await launchRenderer(config, startUrls, clock, reach, traceOf(options)) : null;
    try {
      const crawl = new SiteCrawl(options, hosts, renderer);
      await crawl.#crawl.start();
      return crawl;
    } catch (error) {
      // A crawl that never began must not leave a browser behind.
      await renderer?.close();
      throw error;
    }
  }

  private constructor(options: SiteCrawlOptions, hosts: StartHosts, renderer: Renderer | null) {
    const { config, startUrls } = options;
    const clock = options.clock ?? systemClock;
    const canonicalize = siteCanonicalizer(config);
    // Everything that can be refused comes before the store, whose thread would outlive a crawl that never began.
    const scope = siteScope(config, startUrls);
    // The client treats a failing cache as empty; a mistyped folder is reported here.
    if (config.cacheDir !== null) ensureFolder(config.cacheDir, PRIVATE_FOLDER);
    const cookies = siteCookies(config, scope);
    const client = createClient(config, startUrls, clock, {
      cookies,
      trusted: hosts.trusted,
      lookup: options.lookup,
      permits: options.permits,
      maySend: options.share?.maySend,
      onLeft: (host, isSent) => this.#crawl.left(host, isSent),
      beforeResend: (host) => this.#crawl.pace(host),
      onExchange: traceOf(options),
      onTrouble: (trouble) => {
        this.#trouble = trouble;
      },
    });
    this.#client = client;
    const baseline = options.baseline ? new Baseline(options.baseline, options.config.render) : null;
    const { ledger, texts, stored } = options.store();
    const product = new SiteProduct({
      config,
      canonicalize,
      client,
      cookies,
      hosts,
      owns: options.share?.owns ?? (() => true),
      isPart: options.share !== undefined,
      baseline,
      clock,
      scope,
      texts,
      stored,
      render: renderer === null ? null : renderWith(renderer),
      onUrl: options.onUrl ?? null,
      events: this.#watched(options.events ?? {}),
      random: options.random ?? Math.random,
      close: async () => {
        await Promise.all([client.destroy(), renderer?.close()]);
        baseline?.close();
      },
    });
    const { robots } = product;
    this.#product = product;
    this.#hostReport = (report) => hostReport(report, config.rate, robots.crawlDelayMs(report.lane));
    this.#crawl = new Crawl({
      ledger,
      product: options.share?.wrap(product) ?? product,
      // What other parts found arrives at any time, so nothing waits for it.
      readAhead: options.share !== undefined,
      sources: [
        hosts.source(() => client.learnTrusted()),
        ...options.sources({ config, startUrls, canonicalize, robots }),
      ],
      isLeaving: (host) => client.isLeaving(host),
      limits: crawlLimits(config),
      clock,
      isFull: () => this.#isDiskFull || (options.isFull?.() ?? false),
    });
    if (options.disk !== undefined) this.#watch(options.disk, clock);
  }

  get ended(): Promise<CrawlEnd> {
    return this.#crawl.ended;
  }

  progress(): SiteProgress {
    const { discovered, open, recorded, skipped, failed, retries, settled } = this.#crawl.meters;
    const { state, inFlight } = this.#crawl;
    const trouble = this.#isDiskFull ? DISK_FULL : this.#trouble;
    return { state, discovered, crawled: settled, open, recorded, skipped, errors: failed, retries, inFlight, trouble };
  }

  /** How many URLs were not crawled, by reason. */
  reasons(): ReadonlyMap<string, number> {
    return this.#crawl.meters.reasons;
  }

  /** Parts of the site that were stopped because they bring nothing new. */
  stoppedTraps(): StoppedTrap[] {
    return this.#product.stoppedTraps();
  }

  /** What the busiest hosts are doing now, and why the others wait. */
  hosts(limit?: number): HostReport[] {
    return this.#crawl.hosts(limit).map(this.#hostReport);
  }

  /** The last failures, newest first: no answer, or a status of 400 or more. */
  recentErrors(): Failure[] {
    return this.#failures.list();
  }

  /** Tasks that wait for hosts that were given up: they stay open until they are tried again elsewhere. */
  parked(): number {
    let parked = 0;
    for (const { state, policy, open } of this.#crawl.lanes) {
      if (policy.onGiveUp === "park" && isGivenUp(state, policy)) parked += open;
    }
    return parked;
  }

  openSockets(): number {
    return this.#client.openSockets();
  }

  /**
   * Additional URLs to crawl, as if they were in a list: they count as wanted, wherever they are. Returns false after
   * the end.
   */
  add(urls: string[]): boolean {
    return this.#crawl.add(listedSource(urls, this.#product.robots));
  }

  pause(): Promise<void> {
    return this.#crawl.pause();
  }

  resume(): void {
    this.#crawl.resume();
  }

  stop(): Promise<CrawlEnd> {
    return this.#crawl.stop();
  }

  #watch(disk: DiskSpace, clock: Clock): void {
    const end = watchDisk(disk, clock, (isAlmostFull) => {
      this.#isDiskFull = isAlmostFull;
      if (!isAlmostFull) this.nudge();
    });
    void this.ended.then(end);
  }

  #watched(events: SiteEvents): SiteEvents {
    const { onVisit, onFailure } = events;
    return {
      ...events,
      onVisit: (task, visit, record) => {
        const { status, error, fetched_at: at } = record.page;
        if (error !== null || (status !== null && status >= 400)) {
          this.#failures.add({ url: task.key, error, status, at });
        }
        onVisit?.(task, visit, record);
      },
      onFailure: (task, error, at) => {
        this.#failures.add({ url: task.key, error: error.code, status: null, at });
        onFailure?.(task, error, at);
      },
    };
  }

  /** The consumer has room again. */
  nudge(): void {
    this.#crawl.nudge();
  }
}
