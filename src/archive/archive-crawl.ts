/** `trawl archive run`: crawls from the seeds and archives what it finds, or only writes it to the spool (`--discover`). */
import { rm } from "node:fs/promises";
import { TrawlError } from "../errors.ts";
import type { Crawl, CrawlEnd, CrawlState } from "../kernel/crawl.ts";
import type { CrawlContext } from "../kernel/product.ts";
import type { Found } from "../kernel/task.ts";
import { type Canonicalize, hostOf, originOf, prepareBase } from "../web/url.ts";
import { isFromSpool, metadataRecords, noRecords } from "./archive-record.ts";
import { ArchiveRun, type RequisiteCounts, type RunOptions } from "./archive-run.ts";
import type { Choice } from "./choice.ts";
import { clearStop, type PauseReason, SCRAPER_SUFFIX } from "./control/watch.ts";
import type { SourceTools } from "./crawl-kind.ts";
import { Finds } from "./discovery-kinds.ts";
import type { LedgerPaths } from "./ledger/ledger-files.ts";
import type { RecordLog } from "./ledger/record-log.ts";
import { archiveCanonicalizer } from "./policy/canonical.ts";
import type { ArchiveMeta } from "./policy/policy.ts";
import { Refetch } from "./refetch.ts";
import type { RestingHost } from "./resting-hosts.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";
import { type ArchiveStores, openStores } from "./stores.ts";
import type { Workspace } from "./workspace.ts";

type Mode = "archive" | "discover";

export interface ArchiveCrawlOptions extends RunOptions {
  /** As written. */
  seeds: readonly string[];
  /** `discover`: pages are read for their links, which go to the spool for `scrape` to fetch. */
  mode?: Mode;
  /**
   * Every URL that was fetched is requested again, conditionally where the metadata allows it. Discovering, which records
   * nothing, starts over instead.
   */
  refresh?: boolean;
  /** The URLs to request again. Not used when discovering. */
  refetch?: readonly Choice[];
}

export interface ArchiveProgress {
  state: CrawlState;
  pauses: PauseReason[];
  discovered: number;
  fetched: number;
  /** By this run, including URLs that it requested again. */
  fetchedNow: number;
  /** By all runs, including URLs that wait to be fetched again. */
  inAll: number;
  open: number;
  skipped: number;
  failed: number;
  retries: number;
  inFlight: number;
  resting: RestingHost[];
  /** URLs that were refused before and are queued by this run, because the rules have changed. */
  reopened: number;
  /** Progress on what the pages need to look as they did; null when that is not fetched, or not yet. */
  requisites: RequisiteCounts | null;
  /** URLs that were fetched before and are requested again by this run. */
  refetching: number;
}

export class ArchiveCrawl extends ArchiveRun {
  readonly #crawl: Crawl<MetadataRecord, ArchiveMeta>;
  readonly #ended: Promise<CrawlEnd>;

  /** Resolves when the archive runs. */
  static async start(options: ArchiveCrawlOptions): Promise<ArchiveCrawl> {
    const { workspace, mode = "archive" } = options;
    const { settings, root } = workspace;
    const seeds = canonicalSeeds(
      options.seeds,
      archiveCanonicalizer(settings.config.scope.allowed_query_params, settings.profile),
    );
    if (options.refresh && mode === "discover") {
      for (const file of Object.values(workspace.paths.discoverLedger)) await rm(file, { force: true });
    }
    let archive: ArchiveCrawl | null = null;
    const stores = await openStores(options, mode, () => archive);
    try {
      archive = new ArchiveCrawl({ ...options, mode, seeds }, stores);
      for (const name of await clearStop(root, mode === "discover" ? SCRAPER_SUFFIX : undefined))
        archive.onNotice(`${name} was left by an earlier run and has been removed.`);
      // Before the first request: the disk may already be full, or a pause may have been requested.
      await archive.watch();
      await archive.#crawl.start();
      return archive;
    } catch (error) {
      if (archive === null) {
        await stores.close().catch(() => {});
        stores.log.failed(error);
      } else await archive.stop();
      throw error;
    }
  }

  private constructor(options: ArchiveCrawlOptions & { mode: Mode; seeds: string[] }, stores: ArchiveStores) {
    super(options, stores, options.mode === "discover" ? SCRAPER_SUFFIX : undefined);
    const { workspace, mode, seeds, refetch = [], refresh = false } = options;
    const { metrics, trajectory, discoveries } = stores;
    const choices = mode === "discover" ? [] : [...refetch, ...(refresh ? [{}] : [])];
    const again = new Refetch();
    /** Seeds of an earlier run that was interrupted before they were queued. */
    let left: string[] = [];
    const common = {
      choices,
      metadataPath: workspace.paths.metadata,
      now: this.clock.now(),
      onQueued: (count: number) => this.onNotice(refetchText(count)),
    };
    this.#crawl = this.createCrawl({
      paths: ledgerOf(workspace, mode),
      records: recordsOf(stores, workspace),
      // Only the ledger knows which page led to a task.
      complete: (record, { referrer }) => ({ ...record, referrer }),
      referrerOf: () => null,
      extraOf: () => ({}),
      finds: new Finds({ metrics, trajectory, discoveries, clock: this.clock }),
      storesPages: mode === "archive",
      adapt: (settings) => settings,
      recoverNote: (note) => {
        again.recoverNote(note);
        if (note.key === SEEDS_NOTE && note.value !== "") left = JSON.parse(note.value) as string[];
      },
      source: async function* (this: void, tools, context) {
        yield* seedSource([...new Set([...left, ...seeds])], tools, context);
        yield* again.source({ ...common, product: tools.product }, context);
      },
    });
    this.#ended = this.#crawl.ended
      .then((end) => this.fetchRequisites(end))
      .catch((error: unknown): CrawlEnd => ({ state: "failed", parked: [], error }))
      .then((end) => this.close(end));
  }

  get ended(): Promise<CrawlEnd> {
    return this.#ended;
  }

  progress(): ArchiveProgress {
    const { discovered, open, skipped, failed, retries, settled, settledNow, again } = this.#crawl.meters;
    const { state, inFlight } = this.#crawl;
    const { pauses } = this;
    const resting = this.resting();
    return {
      state,
      pauses,
      discovered,
      fetched: settled,
      fetchedNow: settledNow,
      inAll: settled + again,
      open,
      skipped,
      failed,
      retries,
      inFlight,
      resting,
      reopened: this.reopened,
      requisites: this.requisiteCounts(),
      refetching: this.refetching,
    };
  }

  /** How many URLs were not archived, by reason. */
  reasons(): ReadonlyMap<string, number> {
    return this.#crawl.meters.reasons;
  }

  stop(): Promise<CrawlEnd> {
    this.isStopping = true;
    this.#crawl.stop();
    this.crawl?.stop();
    return this.#ended;
  }
}

const refetchText = (count: number): string =>
  count === 1 ? "1 URL is requested again." : `${count} URLs are requested again.`;

/** Discovering has a ledger of its own, because what it has read is not archived. */
const ledgerOf = ({ paths }: Workspace, mode: Mode): LedgerPaths =>
  mode === "archive" ? paths.ledger : paths.discoverLedger;

function recordsOf(stores: ArchiveStores, { paths }: Workspace): RecordLog<MetadataRecord> {
  const { metadata } = stores;
  const before = () => stores.flush();
  if (metadata === null) return noRecords(before);
  // Lines of `scrape` are settled by its own ledger.
  const isOwn = (record: MetadataRecord): boolean => !isFromSpool(record);
  return metadataRecords({ metadata, before, isOwn, own: paths.ledger, other: paths.scrapeLedger });
}

/** Rejects what is not a URL, so that a mistyped seed does not vanish among the skipped URLs. */
function canonicalSeeds(written: readonly string[], canonicalize: Canonicalize): string[] {
  const seeds = written.map((text) => {
    const url = URL.canParse(text) ? canonicalize(text, prepareBase(text)) : null;
    if (typeof url !== "string") {
      throw new TrawlError("BAD_URL", `The seed "${text}" is not a URL that can be archived.`);
    }
    return url;
  });
  return [...new Set(seeds)];
}

/** The note that holds seeds that are not yet queued. */
const SEEDS_NOTE = "seeds";

/** The seeds, once the robots.txt of their hosts is known: the first verdicts need it. */
async function* seedSource(
  seeds: readonly string[],
  { product, isResting }: SourceTools,
  context: CrawlContext,
): AsyncGenerator<Found<ArchiveMeta>[]> {
  if (seeds.length === 0) return;
  // Queueing takes as long as robots.txt does. Until then, nothing else remembers the seeds.
  context.note({ key: SEEDS_NOTE, value: JSON.stringify(seeds) });
  const { policy } = product;
  // A host that rests is not waited for here, because its robots.txt is read before its first page.
  const awake = seeds.filter((url) => policy.policy(url) === null && !isResting(hostOf(url)));
  await product.loadRobots([...new Set(awake.map(originOf))], context);
  yield seeds.map((key) => ({ key, depth: 0, parent: 0, hops: 0, meta: policy.types.metaOf(key) }));
  context.note({ key: SEEDS_NOTE, value: "" });
}
