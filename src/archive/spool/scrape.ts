/**
 * `trawl archive scrape`: fetches what a spool names and the store does not have. The spool is read in rounds, each a
 * crawl of its own that ends where the spool ends; with `follow`, another round begins when something was added.
 */
import type { CrawlEnd } from "../../kernel/crawl.ts";
import type { Task } from "../../kernel/task.ts";
import { FROM_SPOOL, isFromSpool, metadataRecords } from "../archive-record.ts";
import { ArchiveRun, type CrawlKind, openStores, type RunOptions } from "../archive-run.ts";
import { clearStop, type PauseReason } from "../control/watch.ts";
import { metricOf } from "../discovery-kinds.ts";
import type { ArchiveStores } from "../stores.ts";
import { type Bookmark, bookmarkedLedger, type Discovery, readBookmark, readSpool, spoolBytes } from "./spool-files.ts";
import { spoolSource } from "./spool-source.ts";

export interface ScrapeOptions extends RunOptions {
  /** Continues when the spool grows, until stopped. */
  follow: boolean;
}

export interface ScrapeProgress {
  /** Discoveries read; of these, how many were in the store already, and how many were damaged. */
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

const NO_METERS = { settled: 0, failed: 0, open: 0 };

/** Whoever filled the spool has already applied the caps. */
const NO_CAPS = { per_repo_max_pages: 0, per_repo_max_issues: 0, per_repo_max_prs: 0, max_depth: 0 };

export class Scrape extends ArchiveRun {
  readonly #follow: boolean;
  readonly #ended: Promise<CrawlEnd>;
  readonly #progress = { read: 0, stored: 0, damaged: 0, fetched: 0, failed: 0 };
  #known = { settled: 0, failed: 0 };
  #stopping = false;
  #wake: (() => void) | null = null;

  static async start(options: ScrapeOptions): Promise<Scrape> {
    await clearStop(options.workspace.root);
    let scrape: Scrape | null = null;
    const stores = await openStores(options, "scrape", () => scrape);
    scrape = new Scrape(options, stores);
    return scrape;
  }

  private constructor(options: ScrapeOptions, stores: ArchiveStores) {
    super(options, stores);
    this.#follow = options.follow;
    this.#ended = this.#run()
      .catch((error: unknown): CrawlEnd => ({ state: "failed", parked: [], error }))
      .then((end) => this.close(end));
  }

  get ended(): Promise<CrawlEnd> {
    return this.#ended;
  }

  progress(): ScrapeProgress {
    const { settled, failed, open } = this.crawl?.meters ?? NO_METERS;
    const known = this.crawl === null ? NO_METERS : this.#known;
    return {
      ...this.#progress,
      fetched: this.#progress.fetched + settled - known.settled,
      failed: this.#progress.failed + failed - known.failed,
      open,
      inFlight: this.crawl?.inFlight ?? 0,
      pauses: this.pauses,
    };
  }

  stop(): Promise<CrawlEnd> {
    this.#stopping = true;
    this.crawl?.stop();
    this.#wake?.();
    return this.#ended;
  }

  async #run(): Promise<CrawlEnd> {
    const { paths, settings } = this.workspace;
    const { spool } = settings.config;
    await this.watch();
    let end: CrawlEnd = { state: "completed", parked: [], error: null };
    for (let round = 0; !this.#stopping; round++) {
      if (await this.#hasTooMuch(spool.max_backlog_gb * GIGABYTE)) {
        await this.#sleep(BACKLOG_AGAIN_MS);
        continue;
      }
      const from = await readBookmark(paths.bookmark, this.onNotice);
      // The first round also continues what an earlier run left open.
      if (round === 0 || (await this.#hasMore(from))) end = await this.#round(from);
      if (end.error !== null || !this.#follow) return end;
      await this.#sleep(LOOK_AGAIN_MS);
    }
    return { ...end, state: "stopped" };
  }

  async #round(from: Bookmark): Promise<CrawlEnd> {
    const crawl = this.createCrawl(this.#kind(from));
    try {
      await crawl.start();
      // What the ledger knows from earlier rounds is not counted again.
      this.#known = { settled: crawl.meters.settled, failed: crawl.meters.failed };
      if (this.isPaused) crawl.pause();
      return await crawl.ended;
    } finally {
      const { fetched, failed } = this.progress();
      this.#progress.fetched = fetched;
      this.#progress.failed = failed;
      this.forgetCrawl();
    }
  }

  /** A crawl over the spool, from a bookmark to its end, that follows no links. */
  #kind(from: Bookmark): CrawlKind {
    const { paths, settings } = this.workspace;
    const { metrics } = this.stores;
    const metadata = this.stores.metadata!;
    const leftOpen = new Set<string>();
    const referrers = new Referrers();
    return {
      paths: paths.scrapeLedger,
      records: metadataRecords({ metadata, before: async () => {}, isOwn: isFromSpool, isShared: true }),
      around: (ledger) => bookmarkedLedger(ledger, paths.bookmark, (url) => leftOpen.add(url)),
      referrerOf: (task) => referrers.take(task),
      extra: FROM_SPOOL,
      // Links are followed by whoever fills the spool.
      finds: { decided: (verdict) => metrics.increment(metricOf(verdict)), offerAll: () => {} },
      storesPages: true,
      adapt: (adapted) => ({ ...adapted, caps: NO_CAPS }),
      source: ({ types, canonicalize }, { note }) =>
        spoolSource({
          folder: paths.spool,
          from,
          batchSize: settings.config.spool.bookmark_every,
          canonicalize,
          types,
          leftOpen,
          onRecalled: (discovery) => referrers.add(discovery),
          isStored: (url) => this.#isStored(url),
          note,
          onItem: (result, discovery) => {
            this.#progress.read++;
            if (result === "offered") referrers.add(discovery!);
            else this.#progress[result]++;
          },
        }),
    };
  }

  async #isStored(url: string): Promise<boolean> {
    const line = await this.stores.metadata!.lastLineOf(url);
    return line !== null && line.content_sha256 !== "" && (await this.stores.blobs.has(line.content_sha256));
  }

  async #hasMore(from: Bookmark): Promise<boolean> {
    for await (const _ of readSpool(this.workspace.paths.spool, from)) return true;
    return false;
  }

  async #hasTooMuch(most: number): Promise<boolean> {
    const { spool } = this.workspace.paths;
    const bytes = await spoolBytes(spool);
    if (bytes > most) {
      this.onNotice(`${spool} holds ${bytes} bytes, more than spool.max_backlog_gb: paused until it shrinks.`);
    }
    return bytes > most;
  }

  #sleep(ms: number): Promise<void> {
    if (this.#stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** The pages that led to the discoveries under way. */
class Referrers {
  readonly #byUrl = new Map<string, string>();

  add({ url, referrer }: Discovery): void {
    if (referrer !== null) this.#byUrl.set(url, referrer);
  }

  take({ key }: Task): string | null {
    const referrer = this.#byUrl.get(key) ?? null;
    this.#byUrl.delete(key);
    return referrer;
  }
}
