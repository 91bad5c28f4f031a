/**
 * `trawl archive scrape`: fetches what a spool names and the store does not have. The spool is read in rounds, each a
 * crawl of its own that ends where the spool ends; with `follow` another begins when something was added.
 */
import { type Clock, systemClock } from "../../kernel/clock.ts";
import type { Crawl, CrawlEnd } from "../../kernel/crawl.ts";
import type { Metrics } from "../archive-metrics.ts";
import { type ArchiveSettings, completeSettings } from "../config/parse-archive-config.ts";
import { type PauseReason, Pauses } from "../control/pauses.ts";
import { compareConfigs, type Reloaded } from "../control/reload.ts";
import { ControlWatch, clearStop } from "../control/watch.ts";
import type { RunOptions } from "../run-options.ts";
import type { MetadataRecord } from "../store/metadata-record.ts";
import { ArchiveStores } from "../stores.ts";
import type { Workspace } from "../workspace.ts";
import { type Bookmark, readBookmark } from "./bookmark.ts";
import { createRound, type Round } from "./scrape-round.ts";
import { readSpool, spoolBytes } from "./spool-lines.ts";

export interface ScrapeOptions extends RunOptions {
  /** Goes on when the spool grows, until it is stopped. */
  follow: boolean;
}

export interface ScrapeProgress {
  /** Discoveries read, and those of them that were in the store, or were no discoveries. */
  read: number;
  stored: number;
  damaged: number;
  fetched: number;
  failed: number;
  open: number;
  inFlight: number;
  pauses: PauseReason[];
}

const LOOK_AGAIN_MS = 500;
const BACKLOG_AGAIN_MS = 10_000;
const GIGABYTE = 1_000_000_000;
const MEGABYTE = 1_000_000;

const NO_METERS = { settled: 0, failed: 0, open: 0 };

export class Scrape {
  readonly #options: ScrapeOptions & { clock: Clock };
  readonly #stores: ArchiveStores;
  readonly #pauses: Pauses;
  readonly #watch: ControlWatch;
  readonly #ended: Promise<CrawlEnd>;
  readonly #progress = { read: 0, stored: 0, damaged: 0, fetched: 0, failed: 0 };
  readonly #onNotice: (text: string) => void;
  #workspace: Workspace;
  #crawl: Crawl<MetadataRecord> | null = null;
  #apply: Round["apply"] = () => {};
  #known = { settled: 0, failed: 0 };
  #stopping = false;
  #wake: (() => void) | null = null;

  static async start(options: ScrapeOptions): Promise<Scrape> {
    const { workspace, clock = systemClock, events = {} } = options;
    const onNotice = events.onNotice ?? (() => {});
    await clearStop(workspace.root);
    const levels = { frontier_size: () => 0, in_flight: () => 0, paused: () => 0 };
    const stores = await ArchiveStores.open(workspace, { mode: "scrape", clock, onNotice, levels });
    return new Scrape({ ...options, clock }, stores);
  }

  private constructor(options: ScrapeOptions & { clock: Clock }, stores: ArchiveStores) {
    const { workspace, clock, events = {} } = options;
    this.#options = options;
    this.#workspace = workspace;
    this.#stores = stores;
    this.#onNotice = events.onNotice ?? (() => {});
    this.#pauses = new Pauses({ pause: async () => this.#crawl?.pause(), resume: () => this.#go() }, (reasons) =>
      events.onPause?.(reasons),
    );
    this.#watch = new ControlWatch({
      workspace: workspace.root,
      pauses: this.#pauses,
      minFreeBytes: workspace.settings.config.storage.min_free_mb * MEGABYTE,
      stop: () => void this.stop(),
      clock,
      freeBytes: options.freeBytes,
    });
    this.#watch.start();
    this.#ended = this.#run()
      .finally(async () => {
        this.#watch.close();
        await stores.close();
      })
      .catch((error: unknown): CrawlEnd => ({ state: "failed", parked: [], error }));
  }

  get ended(): Promise<CrawlEnd> {
    return this.#ended;
  }

  get metrics(): Metrics {
    return this.#stores.metrics;
  }

  progress(): ScrapeProgress {
    const { settled, failed, open } = this.#crawl?.meters ?? NO_METERS;
    const known = this.#crawl === null ? NO_METERS : this.#known;
    return {
      ...this.#progress,
      fetched: this.#progress.fetched + settled - known.settled,
      failed: this.#progress.failed + failed - known.failed,
      open,
      inFlight: this.#crawl?.inFlight ?? 0,
      pauses: this.#pauses.reasons,
    };
  }

  pause(): Promise<void> {
    return this.#pauses.add("person");
  }

  resume(): void {
    this.#pauses.remove("person");
  }

  stop(): Promise<CrawlEnd> {
    this.#stopping = true;
    this.#crawl?.stop();
    this.#wake?.();
    return this.#ended;
  }

  /** Takes over another config as far as that is possible now; the rest of it holds from the next start on. */
  reload(next: ArchiveSettings): Reloaded {
    const { settings } = this.#workspace;
    const reloaded = compareConfigs(settings.config, next.config);
    const applied = completeSettings(reloaded.config, settings.profile);
    this.#workspace = { ...this.#workspace, settings: applied };
    this.#apply(applied);
    this.#watch.setMinFreeBytes(applied.config.storage.min_free_mb * MEGABYTE);
    this.#stores.metricsCsv.start(applied.config.metrics.flush_interval_sec);
    return reloaded;
  }

  async #run(): Promise<CrawlEnd> {
    const { follow } = this.#options;
    const { paths, settings } = this.#workspace;
    const { spool } = settings.config;
    let end: CrawlEnd = { state: "completed", parked: [], error: null };
    for (let round = 0; !this.#stopping; round++) {
      if (await this.#hasTooMuch(spool.max_backlog_gb * GIGABYTE)) {
        await this.#sleep(BACKLOG_AGAIN_MS);
        continue;
      }
      const from = await readBookmark(paths.bookmark, this.#onNotice);
      // The first round also goes on with what an earlier run left open.
      if (round === 0 || (await this.#hasMore(from))) end = await this.#round(from);
      if (end.error !== null || !follow) return end;
      await this.#sleep(LOOK_AGAIN_MS);
    }
    return { ...end, state: "stopped" };
  }

  async #round(from: Bookmark): Promise<CrawlEnd> {
    const { clock, random = Math.random, reach = { connectTo: [], ca: null }, events = {} } = this.#options;
    const { crawl, apply } = createRound({
      workspace: this.#workspace,
      from,
      stores: this.#stores,
      reach,
      events,
      clock,
      random,
      onNotice: this.#onNotice,
      onDiskFull: () => void this.#watch.look().catch(() => {}),
      onItem: (result) => {
        this.#progress.read++;
        if (result !== "offered") this.#progress[result]++;
      },
    });
    this.#crawl = crawl;
    this.#apply = apply;
    try {
      await crawl.start();
      // What the ledger knows from earlier rounds is not counted again.
      this.#known = { settled: crawl.meters.settled, failed: crawl.meters.failed };
      if (this.#pauses.reasons.length > 0) crawl.pause();
      return await crawl.ended;
    } finally {
      const { fetched, failed } = this.progress();
      this.#progress.fetched = fetched;
      this.#progress.failed = failed;
      this.#crawl = null;
      this.#apply = () => {};
    }
  }

  async #hasMore(from: Bookmark): Promise<boolean> {
    for await (const _ of readSpool(this.#workspace.paths.spool, from)) return true;
    return false;
  }

  async #hasTooMuch(most: number): Promise<boolean> {
    const { spool } = this.#workspace.paths;
    const bytes = await spoolBytes(spool);
    if (bytes > most) {
      this.#onNotice(`${spool} holds ${bytes} bytes, over spool.max_backlog_gb: paused until there is less.`);
    }
    return bytes > most;
  }

  #go(): void {
    this.#crawl?.resume();
  }

  #sleep(ms: number): Promise<void> {
    if (this.#stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
