/** An archive put together: fetcher, stores, product, ledger and kernel, from one workspace. No transport inside. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type Clock, systemClock } from "../kernel/clock.ts";
import { Crawl, type CrawlEnd, type CrawlState, DEFAULT_CRAWL_LIMITS } from "../kernel/crawl.ts";
import type { Metrics } from "./archive-metrics.ts";
import { ArchiveProduct } from "./archive-product.ts";
import { canonicalSeeds, seedSource } from "./archive-seeds.ts";
import type { ArchiveSettings } from "./config/parse-archive-config.ts";
import { completeSettings } from "./config/parse-archive-config.ts";
import { type PauseReason, Pauses } from "./control/pauses.ts";
import { compareConfigs, type Reloaded } from "./control/reload.ts";
import { ControlWatch, clearStop } from "./control/watch.ts";
import { Finds } from "./discovery-kinds.ts";
import type { Reach } from "./fetch/archive-client.ts";
import { Fetcher } from "./fetch/fetcher.ts";
import { FileLedger } from "./ledger/file-ledger.ts";
import type { RecordLog } from "./ledger/file-store.ts";
import type { LedgerPaths } from "./ledger/ledger-files.ts";
import { isFromSpool, metadataRecords, noRecords } from "./metadata-records.ts";
import { archiveCanonicalizer } from "./policy/canonical.ts";
import { ARCHIVE_META, type ArchiveMeta, PageTypes } from "./policy/page-types.ts";
import type { RunOptions } from "./run-options.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";
import { ArchiveStores, spoolLimits } from "./stores.ts";
import type { Workspace } from "./workspace.ts";

export interface ArchiveCrawlOptions extends RunOptions {
  /** As written. */
  seeds: readonly string[];
  /** `discover`: pages are read for their links and written to the spool, for `scrape` to fetch. */
  mode?: "archive" | "discover";
  /** Begins anew: every page is asked for again, with conditions where the metadata has them. */
  refresh?: boolean;
}

export interface ArchiveProgress {
  state: CrawlState;
  pauses: PauseReason[];
  discovered: number;
  fetched: number;
  open: number;
  skipped: number;
  failed: number;
  retries: number;
  inFlight: number;
}

/** Lines of `scrape` are settled by its own ledger. */
const isOwn = (record: MetadataRecord): boolean => !isFromSpool(record);

/** Discovering has a ledger of its own: what it has read is not archived. */
const ledgerOf = ({ paths }: Workspace, mode: "archive" | "discover"): LedgerPaths =>
  mode === "archive" ? paths.ledger : paths.discoverLedger;

const NOWHERE: Reach = { connectTo: [], ca: null };
const MEGABYTE = 1_000_000;

export class ArchiveCrawl {
  readonly #crawl: Crawl<MetadataRecord, ArchiveMeta>;
  readonly #stores: ArchiveStores;
  readonly #fetcher: Fetcher;
  readonly #pauses: Pauses;
  readonly #watch: ControlWatch;
  readonly #ended: Promise<CrawlEnd>;
  readonly #product: ArchiveProduct;
  #settings: ArchiveSettings;

  /** Resolves when the archive runs. */
  static async start(options: ArchiveCrawlOptions): Promise<ArchiveCrawl> {
    const { workspace, mode = "archive", clock = systemClock, events = {} } = options;
    const { settings, root } = workspace;
    const onNotice = events.onNotice ?? (() => {});
    const canonicalize = archiveCanonicalizer(settings.config.scope.allowed_query_params);
    const seeds = canonicalSeeds(options.seeds, canonicalize);
    for (const name of await clearStop(root)) onNotice(`${name} was left by an earlier run, and is removed.`);
    if (options.refresh) for (const file of Object.values(ledgerOf(workspace, mode))) await rm(file, { force: true });
    const level = { frontier_size: () => 0, in_flight: () => 0, paused: () => 0 };
    const stores = await ArchiveStores.open(workspace, {
      mode,
      clock,
      onNotice,
      levels: {
        frontier_size: () => level.frontier_size(),
        in_flight: () => level.in_flight(),
        paused: () => level.paused(),
      },
    });
    let archive: ArchiveCrawl | null = null;
    try {
      archive = new ArchiveCrawl({ ...options, clock, mode, seeds }, stores);
      const { meters } = archive.#crawl;
      level.frontier_size = () => meters.open;
      level.in_flight = () => archive!.#crawl.inFlight;
      level.paused = () => (archive!.#pauses.reasons.length > 0 ? 1 : 0);
      await archive.#crawl.start();
      await archive.#watch.look();
      archive.#watch.start();
      return archive;
    } catch (error) {
      if (archive === null) await stores.close().catch(() => {});
      else await archive.stop();
      throw error;
    }
  }

  private constructor(
    options: ArchiveCrawlOptions & { clock: Clock; mode: "archive" | "discover"; seeds: string[] },
    stores: ArchiveStores,
  ) {
    const { workspace, clock, mode, events = {}, reach = NOWHERE, random = Math.random } = options;
    const { settings, root } = workspace;
    const { config } = settings;
    const onNotice = events.onNotice ?? (() => {});
    const types = new PageTypes(settings.profile);
    this.#settings = settings;
    this.#stores = stores;
    this.#fetcher = new Fetcher({ config, reach, clock, random });
    const finds = new Finds({
      metrics: stores.metrics,
      trajectory: stores.trajectory,
      discoveries: stores.discoveries,
      clock,
    });
    this.#product = new ArchiveProduct({
      settings,
      fetcher: this.#fetcher,
      visitor: {
        canonicalize: archiveCanonicalizer(config.scope.allowed_query_params),
        blobs: mode === "archive" ? stores.blobs : null,
        metadata: stores.metadata,
        contentTypes: config.scope.content_types,
        onExchange: stores.keepExchange,
        clock,
      },
      finds,
      metrics: stores.metrics,
      // The ledger knows it, and completes the record when it is written.
      referrerOf: () => null,
      extra: {},
      onDiskFull: () => this.#watch.look().catch(() => {}),
      events,
      clock,
      random,
      close: () => this.#fetcher.destroy(),
    });
    this.#crawl = new Crawl<MetadataRecord, ArchiveMeta>({
      ledger: new FileLedger<MetadataRecord, ArchiveMeta>({
        paths: ledgerOf(workspace, mode),
        records: this.#records(workspace),
        pageType: (kind) => types.nameOf(kind),
        codec: ARCHIVE_META,
        complete: (record, { referrer }) => ({ ...record, referrer }),
        clock,
        onNotice,
      }),
      product: this.#product,
      sources: [(context) => seedSource(options.seeds, this.#product, context)],
      limits: { ...DEFAULT_CRAWL_LIMITS, parallelism: config.limits.global_concurrency },
      clock,
    });
    this.#pauses = new Pauses(this.#crawl, (reasons) => events.onPause?.(reasons));
    this.#watch = new ControlWatch({
      workspace: root,
      pauses: this.#pauses,
      minFreeBytes: config.storage.min_free_mb * MEGABYTE,
      stop: () => void this.stop(),
      clock,
      freeBytes: options.freeBytes,
    });
    this.#ended = this.#crawl.ended.then(async (end) => {
      this.#watch.close();
      const problem = await stores.close().then(
        () => null,
        (error: unknown) => error,
      );
      return problem === null || end.error !== null ? end : { ...end, state: "failed", error: problem };
    });
  }

  #records({ paths }: Workspace): RecordLog<MetadataRecord> {
    const { metadata } = this.#stores;
    const before = () => this.#stores.flush();
    if (metadata === null) return noRecords(before);
    return metadataRecords({ metadata, before, isOwn, isShared: existsSync(paths.scrapeLedger.commits) });
  }

  /** Resolves when everything is on the disk and every file is closed. */
  get ended(): Promise<CrawlEnd> {
    return this.#ended;
  }

  get metrics(): Metrics {
    return this.#stores.metrics;
  }

  progress(): ArchiveProgress {
    const { discovered, open, skipped, failed, retries, settled } = this.#crawl.meters;
    const { state, inFlight } = this.#crawl;
    return {
      state,
      pauses: this.#pauses.reasons,
      discovered,
      fetched: settled,
      open,
      skipped,
      failed,
      retries,
      inFlight,
    };
  }

  /** How many URLs were not archived for each reason. */
  reasons(): ReadonlyMap<string, number> {
    return this.#crawl.meters.reasons;
  }

  openSockets(): number {
    return this.#fetcher.openSockets();
  }

  /** Resolves when what was under way is on the disk. */
  pause(): Promise<void> {
    return this.#pauses.add("person");
  }

  /** Goes on, unless something else still asks for the pause. */
  resume(): void {
    this.#pauses.remove("person");
  }

  stop(): Promise<CrawlEnd> {
    this.#crawl.stop();
    return this.#ended;
  }

  /** Takes over another config as far as that is possible now. Throws, and keeps the old, when it is not valid. */
  reload(next: ArchiveSettings): Reloaded {
    const reloaded = compareConfigs(this.#settings.config, next.config);
    const settings = completeSettings(reloaded.config, this.#settings.profile);
    const { config } = settings;
    this.#settings = settings;
    this.#product.apply(settings);
    this.#crawl.refreshPolicies();
    this.#watch.setMinFreeBytes(config.storage.min_free_mb * MEGABYTE);
    this.#stores.metricsCsv.start(config.metrics.flush_interval_sec);
    this.#stores.discoveries?.setLimits(spoolLimits(config));
    return reloaded;
  }
}
