/**
 * What every run of an archive shares, whether it follows links (`run`), only reads them (`run --discover`) or fetches what
 * a spool names (`scrape`): one way to put a crawl together, and what can pause, stop or reload it. No transport inside.
 */
import { type Clock, systemClock } from "../kernel/clock.ts";
import { Crawl, type CrawlEnd, DEFAULT_CRAWL_LIMITS } from "../kernel/crawl.ts";
import type { Ledger } from "../kernel/ledger.ts";
import type { CrawlContext } from "../kernel/product.ts";
import type { Found } from "../kernel/task.ts";
import type { Canonicalize } from "../web/url.ts";
import type { Metrics } from "./archive-metrics.ts";
import { type ArchiveEvents, ArchiveProduct, type ArchiveProductOptions } from "./archive-product.ts";
import { type ArchiveSettings, completeSettings } from "./config/parse-archive-config.ts";
import { compareConfigs, type Reloaded } from "./control/reload.ts";
import { ControlWatch, type PauseReason, Pauses } from "./control/watch.ts";
import type { Reach } from "./fetch/archive-client.ts";
import { Fetcher } from "./fetch/fetcher.ts";
import { FileLedger, type FileLedgerOptions } from "./ledger/file-ledger.ts";
import { archiveCanonicalizer } from "./policy/canonical.ts";
import { ARCHIVE_META, type ArchiveMeta, type PageTypes } from "./policy/policy.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";
import { ArchiveStores, type StoresOptions, spoolLimits } from "./stores.ts";
import type { Workspace } from "./workspace.ts";

export interface RunOptions {
  workspace: Workspace;
  reach?: Reach;
  events?: ArchiveEvents & { onPause?: (reasons: PauseReason[]) => void };
  clock?: Clock;
  random?: () => number;
  freeBytes?: (folder: string) => Promise<number>;
}

/** How the crawls of an archive differ. */
export interface CrawlKind
  extends Pick<FileLedgerOptions<MetadataRecord, ArchiveMeta>, "paths" | "records" | "complete">,
    Pick<ArchiveProductOptions, "finds" | "referrerOf" | "extra"> {
  /** Pages are stored, not only read for their links. */
  storesPages: boolean;
  /** The settings as this kind of crawl applies them. */
  adapt: (settings: ArchiveSettings) => ArchiveSettings;
  /** The ledger that the crawl uses, around the one on the files. */
  around?: (ledger: Ledger<MetadataRecord, ArchiveMeta>) => Ledger<MetadataRecord, ArchiveMeta>;
  source: (tools: SourceTools, context: CrawlContext) => AsyncIterable<Found<ArchiveMeta>[]>;
}

export interface SourceTools {
  product: ArchiveProduct;
  types: PageTypes;
  canonicalize: Canonicalize;
}

interface UnderWay {
  crawl: Crawl<MetadataRecord, ArchiveMeta>;
  product: ArchiveProduct;
  fetcher: Fetcher;
  adapt: CrawlKind["adapt"];
}

const USUAL_REACH: Reach = { connectTo: [], ca: null };
const MEGABYTE = 1_000_000;

/** The stores of a run. Its metrics ask `current` for what goes up and down. */
export const openStores = (
  { workspace, clock = systemClock, events = {} }: RunOptions,
  mode: StoresOptions["mode"],
  current: () => ArchiveRun | null,
): Promise<ArchiveStores> =>
  ArchiveStores.open(workspace, {
    mode,
    clock,
    onNotice: events.onNotice ?? (() => {}),
    levels: {
      frontier_size: () => current()?.crawl?.meters.open ?? 0,
      in_flight: () => current()?.crawl?.inFlight ?? 0,
      paused: () => (current()?.isPaused ? 1 : 0),
    },
  });

export abstract class ArchiveRun {
  protected readonly stores: ArchiveStores;
  protected readonly clock: Clock;
  protected readonly onNotice: (text: string) => void;
  readonly #options: RunOptions;
  readonly #pauses: Pauses;
  readonly #watch: ControlWatch;
  #workspace: Workspace;
  #underWay: UnderWay | null = null;

  protected constructor(options: RunOptions, stores: ArchiveStores) {
    const { workspace, clock = systemClock, events = {}, freeBytes } = options;
    this.stores = stores;
    this.clock = clock;
    this.onNotice = events.onNotice ?? (() => {});
    this.#options = options;
    this.#workspace = workspace;
    this.#pauses = new Pauses(
      { pause: async () => this.crawl?.pause(), resume: () => this.crawl?.resume() },
      (reasons) => events.onPause?.(reasons),
    );
    this.#watch = new ControlWatch({
      workspace: workspace.root,
      pauses: this.#pauses,
      minFreeBytes: workspace.settings.config.storage.min_free_mb * MEGABYTE,
      stop: () => void this.stop(),
      clock,
      freeBytes,
    });
  }

  /** Resolves when everything is on the disk and every file is closed. */
  abstract get ended(): Promise<CrawlEnd>;
  abstract stop(): Promise<CrawlEnd>;

  /** The current crawl; null if there isn't one. */
  get crawl(): Crawl<MetadataRecord, ArchiveMeta> | null {
    return this.#underWay?.crawl ?? null;
  }

  get metrics(): Metrics {
    return this.stores.metrics;
  }

  get pauses(): PauseReason[] {
    return this.#pauses.reasons;
  }

  get isPaused(): boolean {
    return this.pauses.length > 0;
  }

  openSockets(): number {
    return this.#underWay?.fetcher.openSockets() ?? 0;
  }

  /** Resolves when everything in flight is on the disk. */
  pause(): Promise<void> {
    return this.#pauses.add("person");
  }

  /** Continues, unless there is another reason to pause. */
  resume(): void {
    this.#pauses.remove("person");
  }

  /** Applies another config as far as that is possible now. Throws, and keeps the old one, when it is not valid. */
  reload(next: ArchiveSettings): Reloaded {
    const { settings: before } = this.#workspace;
    const reloaded = compareConfigs(before.config, next.config);
    const settings = completeSettings(reloaded.config, before.profile);
    const { config } = settings;
    this.#workspace = { ...this.#workspace, settings };
    if (this.#underWay !== null) {
      const { crawl, product, adapt } = this.#underWay;
      product.apply(adapt(settings));
      crawl.refreshPolicies();
    }
    this.#watch.setMinFreeBytes(config.storage.min_free_mb * MEGABYTE);
    this.stores.metricsCsv.start(config.metrics.flush_interval_sec);
    this.stores.discoveries?.setLimits(spoolLimits(config));
    return reloaded;
  }

  protected get workspace(): Workspace {
    return this.#workspace;
  }

  /** Puts a crawl together from the workspace and its stores. It is the one under way from now on. */
  protected createCrawl(kind: CrawlKind): Crawl<MetadataRecord, ArchiveMeta> {
    const { reach = USUAL_REACH, random = Math.random, events = {} } = this.#options;
    const { stores, clock, onNotice } = this;
    const { settings } = this.#workspace;
    const { config } = settings;
    const canonicalize = archiveCanonicalizer(config.scope.allowed_query_params);
    const fetcher = new Fetcher({ config, reach, clock, random });
    const product = new ArchiveProduct({
      settings: kind.adapt(settings),
      fetcher,
      visitor: {
        canonicalize,
        blobs: kind.storesPages ? stores.blobs : null,
        metadata: stores.metadata,
        contentTypes: config.scope.content_types,
        onExchange: stores.keepExchange,
        clock,
      },
      finds: kind.finds,
      metrics: stores.metrics,
      referrerOf: kind.referrerOf,
      extra: kind.extra,
      onDiskFull: () => void this.#watch.look().catch(() => {}),
      events,
      clock,
      random,
      close: () => fetcher.destroy(),
    });
    const { types } = product.policy;
    const { paths, records, complete, around = (ledger) => ledger } = kind;
    const pageType = (number: number) => types.nameOf(number);
    const ledger = new FileLedger<MetadataRecord, ArchiveMeta>({
      paths,
      codec: ARCHIVE_META,
      records,
      complete,
      pageType,
      clock,
      onNotice,
    });
    const crawl = new Crawl<MetadataRecord, ArchiveMeta>({
      ledger: around(ledger),
      product,
      sources: [(context) => kind.source({ product, types, canonicalize }, context)],
      limits: { ...DEFAULT_CRAWL_LIMITS, parallelism: config.limits.global_concurrency },
      clock,
    });
    this.#underWay = { crawl, product, fetcher, adapt: kind.adapt };
    return crawl;
  }

  protected forgetCrawl(): void {
    this.#underWay = null;
  }

  /** Looks at files and disk now, and then once a second. */
  protected async watch(): Promise<void> {
    await this.#watch.look();
    this.#watch.start();
  }

  /** Closes everything. A run that could not be closed has failed. */
  protected async close(end: CrawlEnd): Promise<CrawlEnd> {
    this.#watch.close();
    try {
      await this.stores.close();
      return end;
    } catch (error) {
      return end.error !== null ? end : { ...end, state: "failed", error };
    }
  }
}
