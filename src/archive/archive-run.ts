/**
 * What every run of an archive shares, whether it follows links (`run`), only reads them (`run --discover`) or fetches
 * what a spool names (`scrape`): one way to put a crawl together, and what can pause, stop or reload it. Knows nothing
 * about transports.
 */
import { type Clock, systemClock } from "../kernel/clock.ts";
import { Crawl, type CrawlEnd, DEFAULT_CRAWL_LIMITS } from "../kernel/crawl.ts";
import type { Lane } from "../kernel/lanes.ts";
import type { Source } from "../kernel/product.ts";
import { asDiskFull } from "../storage/durable.ts";
import { isDiskFull } from "../storage/file-system.ts";
import type { Metrics } from "./archive-metrics.ts";
import { type ArchiveEvents, ArchiveProduct } from "./archive-product.ts";
import { type ArchiveSettings, completeSettings } from "./config/parse-archive-config.ts";
import { compareConfigs, type Reloaded } from "./control/reload.ts";
import { ControlWatch, type PauseReason, Pauses } from "./control/watch.ts";
import type { CrawlKind } from "./crawl-kind.ts";
import { type Failures, listFailures, NO_FAILURES } from "./failed-urls.ts";
import type { Reach } from "./fetch/archive-client.ts";
import { Fetcher } from "./fetch/fetcher.ts";
import { FileLedger } from "./ledger/file-ledger.ts";
import type { LedgerPaths } from "./ledger/ledger-files.ts";
import { archiveCanonicalizer } from "./policy/canonical.ts";
import { ARCHIVE_META, type ArchiveMeta } from "./policy/policy.ts";
import { reconsider, reopenedText } from "./reconsider.ts";
import { requisitesKind } from "./requisites/requisites-kind.ts";
import { reread } from "./reread.ts";
import { type RestingHost, restingHosts } from "./resting-hosts.ts";
import type { LogCounts } from "./run-log.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";
import { type ArchiveStores, spoolLimits } from "./stores.ts";
import type { Workspace } from "./workspace.ts";

export interface RunOptions {
  workspace: Workspace;
  reach?: Reach;
  events?: ArchiveEvents & { onPause?: (reasons: PauseReason[]) => void };
  clock?: Clock;
  random?: () => number;
  freeBytes?: (folder: string) => Promise<number>;
  /** Whether to write WARCs from now on; by default, the workspace continues as before. */
  warc?: boolean | undefined;
  /** Whether to fetch what the pages need from now on; by default, the workspace continues as before. */
  requisites?: boolean | undefined;
  /** Name and version of the program, for the WARCs. */
  software?: string;
}

export interface RequisiteCounts {
  fetched: number;
  failed: number;
  open: number;
  refused: number;
}

interface UnderWay {
  isAside: boolean;
  crawl: Crawl<MetadataRecord, ArchiveMeta>;
  product: ArchiveProduct;
  fetcher: Fetcher;
  adapt: CrawlKind["adapt"];
  /** Offers refused URLs again if the rules have changed. */
  again: Source<ArchiveMeta>;
}

/**
 * A page that takes longer than this does not keep its host from being requested. Far longer than a page usually takes.
 */
const STARVED_PATIENCE_MS = 500;

const USUAL_REACH: Reach = { connectTo: [], ca: null };
const MEGABYTE = 1_000_000;

export abstract class ArchiveRun {
  protected readonly stores: ArchiveStores;
  protected readonly clock: Clock;
  protected readonly onNotice: (text: string) => void;
  readonly #options: RunOptions;
  readonly #pauses: Pauses;
  readonly #watch: ControlWatch;
  #workspace: Workspace;
  #underWay: UnderWay | null = null;
  #requisites: Crawl<MetadataRecord, ArchiveMeta> | null = null;
  #reopenedPages: number | null = null;
  #refetchedPages: number | null = null;
  /** The run was asked to end: no further crawl begins. */
  protected isStopping = false;
  #rested: RestingHost[] = [];
  #hasCommitted = false;
  #ledger: LedgerPaths | null = null;
  /** The URLs that could not be fetched, in this run or before; known when the run has ended. */
  failures: Failures = NO_FAILURES;

  /** `othersSuffix`: see `WatchOptions`. */
  protected constructor(options: RunOptions, stores: ArchiveStores, othersSuffix?: string) {
    const { workspace, clock = systemClock, events = {}, freeBytes } = options;
    this.stores = stores;
    this.clock = clock;
    this.onNotice = stores.log.telling(events.onNotice);
    this.#options = options;
    this.#workspace = workspace;
    this.#pauses = new Pauses(
      { pause: async () => this.crawl?.pause(), resume: () => this.crawl?.resume() },
      (reasons) => {
        stores.log.pauses(reasons);
        events.onPause?.(reasons);
      },
    );
    this.#watch = new ControlWatch({
      workspace: workspace.root,
      pauses: this.#pauses,
      minFreeBytes: workspace.settings.config.storage.min_free_mb * MEGABYTE,
      stop: () => void this.finish().catch(() => {}),
      othersSuffix,
      clock,
      freeBytes,
      isSpoolFull: async () => (await stores.discoveries?.measure()) ?? false,
    });
    if (stores.discoveries !== null) stores.discoveries.onFull = () => this.#pauses.set("spool", true);
  }

  /** Resolves when everything is on the disk and every file is closed. */
  abstract get ended(): Promise<CrawlEnd>;
  abstract progress(): LogCounts;
  /** Aborts everything in flight. */
  abstract stop(): Promise<CrawlEnd>;

  /** The current crawl; null if there isn't one. */
  get crawl(): Crawl<MetadataRecord, ArchiveMeta> | null {
    return this.#underWay?.crawl ?? null;
  }

  get metrics(): Metrics {
    return this.stores.metrics;
  }

  /** The same, unless it fetches what pages need. */
  protected get pagesCrawl(): Crawl<MetadataRecord, ArchiveMeta> | null {
    return this.#underWay?.isAside ? null : this.crawl;
  }

  /** Pages that wait to be fetched. */
  get openPages(): number {
    return this.pagesCrawl?.meters.open ?? 0;
  }

  get pauses(): PauseReason[] {
    return this.#pauses.reasons;
  }

  get isPaused(): boolean {
    return this.pauses.length > 0;
  }

  /** Hosts that rest, or rested when the run ended, with pages waiting for them. */
  resting(): RestingHost[] {
    return this.crawl === null ? this.#rested : restingHosts(this.crawl.lanes, this.clock.now());
  }

  openSockets(): number {
    return this.#underWay?.fetcher.openSockets() ?? 0;
  }

  /** Resolves when everything in flight is on the disk. */
  pause(): Promise<void> {
    return this.#pauses.add("person");
  }

  /** Lets requests in flight end, then stops. */
  async finish(): Promise<CrawlEnd> {
    await this.crawl?.pause();
    return this.stop();
  }

  /** Continues, unless there is another reason to pause. */
  resume(): void {
    this.#pauses.remove("person");
  }

  /**
   * Applies another config as far as is possible during a run. Throws and keeps the old config when the new one is not
   * valid.
   */
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
      this.#reconsider();
    }
    this.#watch.setMinFreeBytes(config.storage.min_free_mb * MEGABYTE);
    this.stores.metricsCsv.start(config.metrics.flush_interval_sec);
    this.stores.discoveries?.setLimits(spoolLimits(config));
    for (const { setting, after } of reloaded.applied) {
      this.stores.log.write("info", `${setting} is ${JSON.stringify(after)} now`);
    }
    return reloaded;
  }

  protected get workspace(): Workspace {
    return this.#workspace;
  }

  /** Puts a crawl together from the workspace and its stores, and makes it the current one. */
  protected createCrawl(kind: CrawlKind): Crawl<MetadataRecord, ArchiveMeta> {
    const { reach = USUAL_REACH, random = Math.random } = this.#options;
    const { stores, clock, onNotice } = this;
    const {
      settings,
      paths: { metadata: metadataPath },
    } = this.#workspace;
    const { config } = settings;
    const { aside } = kind;
    const canonicalize =
      aside?.canonicalize ?? archiveCanonicalizer(config.scope.allowed_query_params, settings.profile);
    const adapted = kind.adapt(settings);
    const fetcher = new Fetcher({ config, reach, clock, random });
    const product = new ArchiveProduct({
      settings: adapted,
      fetcher,
      visitor: {
        canonicalize,
        blobs: kind.storesPages ? stores.blobs : null,
        metadata: aside === undefined ? stores.metadata : null,
        isKept: stores.isKept,
        contentTypes: adapted.config.scope.content_types,
        ...(aside !== undefined && { readPage: aside.readPage }),
        onExchange: aside?.keep ?? stores.keepExchange,
        clock,
      },
      failsWhenGone: aside !== undefined,
      finds: kind.finds,
      metrics: aside?.metrics ?? stores.metrics,
      referrerOf: kind.referrerOf,
      extraOf: kind.extraOf,
      recoverNote: kind.recoverNote,
      onRobotsChange: () => this.#reconsider(),
      onDiskFull: () => void this.#watch.diskFull().catch(() => {}),
      events: aside === undefined ? { onNotice, onRecord: (record) => this.#recorded(record) } : { onNotice },
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
      onCommit: () => {
        this.#hasCommitted = true;
      },
    });
    const isResting = (host: string) => this.resting().some((resting) => resting.host === host);
    const again: Source<ArchiveMeta> = (context) =>
      reconsider(
        {
          product,
          settings: () => kind.adapt(this.#workspace.settings),
          rows: () => ledger.refused(),
          reasons: () => crawl.meters.reasons,
          isResting,
          onReopened: (count) => onNotice(reopenedText(count)),
        },
        context,
      );
    const crawl: Crawl<MetadataRecord, ArchiveMeta> = new Crawl<MetadataRecord, ArchiveMeta>({
      ledger: around(ledger),
      product,
      sources: [
        (context) => kind.source({ product, types, canonicalize, isResting }, context),
        (context) => reread({ product, blobs: stores.blobs, metadataPath, canonicalize, isResting }, context),
        again,
      ],
      limits: {
        ...DEFAULT_CRAWL_LIMITS,
        parallelism: config.limits.global_concurrency,
        starvedPatienceMs: STARVED_PATIENCE_MS,
      },
      clock,
    });
    this.#underWay = { isAside: aside !== undefined, crawl, product, fetcher, adapt: kind.adapt, again };
    if (aside === undefined) this.#ledger = paths;
    return crawl;
  }

  /** The rules may have changed, so the URLs they refused are offered again. */
  #reconsider(): void {
    if (this.#underWay !== null) this.#underWay.crawl.add(this.#underWay.again);
  }

  /** How many URLs that were refused before this run has queued. */
  protected get reopened(): number {
    return this.#reopenedPages ?? this.#underWay?.product.reopened ?? 0;
  }

  /** Fetches what the stored pages need, if this workspace does that. Called when the crawl of the pages has ended. */
  protected async fetchRequisites(end: CrawlEnd): Promise<CrawlEnd> {
    if (!this.stores.requisites || end.state !== "completed" || end.parked.length > 0) return end;
    const pages = this.crawl;
    this.#reopenedPages = this.reopened;
    this.#refetchedPages = this.refetching;
    if (pages !== null) await this.#untilDue(pages.lanes);
    if (this.isStopping) return { ...end, state: "stopped" };
    const { paths, settings } = this.#workspace;
    const crawl = this.createCrawl(requisitesKind(this.stores, paths, settings.config));
    this.#requisites = crawl;
    if (this.isPaused) void crawl.pause();
    await crawl.start();
    const { state, parked, error } = await crawl.ended;
    if (parked.length > 0) this.onNotice(`Not everything that the pages need could be fetched: ${parked.join(", ")}.`);
    return state === "completed" ? end : { ...end, state, error };
  }

  /** The clocks of the pages' hosts: another crawl must not request them too early. */
  async #untilDue(lanes: Iterable<Lane>): Promise<void> {
    const now = this.clock.now();
    const longest = this.#workspace.settings.config.requisites.max_rest_sec * 1000;
    const waits = Array.from(lanes, ({ state }) => Math.min(state.nextAt - now, longest));
    const ms = Math.max(0, ...waits);
    if (ms > 0) await new Promise<void>((resolve) => void this.clock.after(ms, resolve));
  }

  /** How much of what the pages need has been fetched; null when that has not begun. */
  protected requisiteCounts(): RequisiteCounts | null {
    if (this.#requisites === null) return null;
    const { settled, failed, open, skipped } = this.#requisites.meters;
    return { fetched: settled - failed, failed, open, refused: skipped };
  }

  protected get refetching(): number {
    return this.#refetchedPages ?? this.#underWay?.product.refetching ?? 0;
  }

  protected forgetCrawl(): void {
    this.#rested = this.resting();
    this.#underWay = null;
  }

  /** Checks files and disk now, and then once a second. */
  protected async watch(): Promise<void> {
    await this.#watch.look();
    this.#watch.start();
    this.stores.log.watch(
      () => this.resting(),
      () => this.progress(),
    );
  }

  #recorded(record: MetadataRecord): void {
    this.stores.failures?.settled(record);
    this.stores.log.settled(record);
    this.#options.events?.onRecord?.(record);
  }

  /** Closes everything. A run that could not be closed has failed, unless only the disk is full: then it is paused. */
  protected async close(end: CrawlEnd): Promise<CrawlEnd> {
    const closed = await this.#close(end);
    this.stores.log.end(closed, this.progress());
    return closed;
  }

  async #close(end: CrawlEnd): Promise<CrawlEnd> {
    const closed = await this.#closeAll(end);
    const error = asDiskFull(closed.error);
    // A run that could not write anything has left nothing to resume.
    if (!isDiskFull(error) || !this.#hasCommitted) return { ...closed, error };
    this.onNotice(`${(error as Error).message} What was fetched until then is kept.`);
    return { ...closed, state: "stopped", error: null };
  }

  async #closeAll(end: CrawlEnd): Promise<CrawlEnd> {
    this.#watch.close();
    try {
      await this.stores.close();
      if (this.#ledger !== null && end.error === null) {
        const { paths } = this.#workspace;
        this.failures = await listFailures(this.stores.metadata === null ? this.#ledger : paths);
      }
      return end;
    } catch (error) {
      return end.error !== null ? end : { ...end, state: "failed", error };
    }
  }
}
