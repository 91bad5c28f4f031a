/** `trawl archive run`: crawls from the seeds and archives what it finds, or only writes it to the spool (`--discover`). */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { TrawlError } from "../errors.ts";
import type { Crawl, CrawlEnd, CrawlState } from "../kernel/crawl.ts";
import type { CrawlContext } from "../kernel/product.ts";
import type { Found } from "../kernel/task.ts";
import { type Canonicalize, prepareBase } from "../web/url.ts";
import type { ArchiveProduct } from "./archive-product.ts";
import { isFromSpool, metadataRecords, noRecords } from "./archive-record.ts";
import { ArchiveRun, openStores, type RunOptions } from "./archive-run.ts";
import { clearStop, type PauseReason } from "./control/watch.ts";
import { Finds } from "./discovery-kinds.ts";
import type { RecordLog } from "./ledger/file-ledger.ts";
import type { LedgerPaths } from "./ledger/ledger-files.ts";
import { archiveCanonicalizer } from "./policy/canonical.ts";
import type { ArchiveMeta } from "./policy/policy.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";
import type { ArchiveStores } from "./stores.ts";
import type { Workspace } from "./workspace.ts";

type Mode = "archive" | "discover";

export interface ArchiveCrawlOptions extends RunOptions {
  /** As written. */
  seeds: readonly string[];
  /** `discover`: pages are read for their links, which go to the spool for `scrape` to fetch. */
  mode?: Mode;
  /** Starts over: every page is requested again, conditionally where the metadata allows it. */
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

export class ArchiveCrawl extends ArchiveRun {
  readonly #crawl: Crawl<MetadataRecord, ArchiveMeta>;
  readonly #ended: Promise<CrawlEnd>;

  /** Resolves when the archive runs. */
  static async start(options: ArchiveCrawlOptions): Promise<ArchiveCrawl> {
    const { workspace, mode = "archive", events = {} } = options;
    const { settings, root } = workspace;
    const seeds = canonicalSeeds(options.seeds, archiveCanonicalizer(settings.config.scope.allowed_query_params));
    for (const name of await clearStop(root))
      events.onNotice?.(`${name} was left by an earlier run and has been removed.`);
    if (options.refresh) for (const file of Object.values(ledgerOf(workspace, mode))) await rm(file, { force: true });
    let archive: ArchiveCrawl | null = null;
    const stores = await openStores(options, mode, () => archive);
    try {
      archive = new ArchiveCrawl({ ...options, mode, seeds }, stores);
      await archive.#crawl.start();
      await archive.watch();
      return archive;
    } catch (error) {
      if (archive === null) await stores.close().catch(() => {});
      else await archive.stop();
      throw error;
    }
  }

  private constructor(options: ArchiveCrawlOptions & { mode: Mode; seeds: string[] }, stores: ArchiveStores) {
    super(options, stores);
    const { workspace, mode, seeds } = options;
    const { metrics, trajectory, discoveries } = stores;
    this.#crawl = this.createCrawl({
      paths: ledgerOf(workspace, mode),
      records: recordsOf(stores, workspace),
      // Only the ledger knows which page led to a task.
      complete: (record, { referrer }) => ({ ...record, referrer }),
      referrerOf: () => null,
      extra: {},
      finds: new Finds({ metrics, trajectory, discoveries, clock: this.clock }),
      storesPages: mode === "archive",
      adapt: (settings) => settings,
      source: ({ product }, context) => seedSource(seeds, product, context),
    });
    this.#ended = this.#crawl.ended.then((end) => this.close(end));
  }

  get ended(): Promise<CrawlEnd> {
    return this.#ended;
  }

  progress(): ArchiveProgress {
    const { discovered, open, skipped, failed, retries, settled } = this.#crawl.meters;
    const { state, inFlight } = this.#crawl;
    return { state, pauses: this.pauses, discovered, fetched: settled, open, skipped, failed, retries, inFlight };
  }

  /** How many URLs were not archived, for each reason. */
  reasons(): ReadonlyMap<string, number> {
    return this.#crawl.meters.reasons;
  }

  stop(): Promise<CrawlEnd> {
    this.#crawl.stop();
    return this.#ended;
  }
}

/** Discovering has a ledger of its own: what it has read is not archived. */
const ledgerOf = ({ paths }: Workspace, mode: Mode): LedgerPaths =>
  mode === "archive" ? paths.ledger : paths.discoverLedger;

function recordsOf(stores: ArchiveStores, { paths }: Workspace): RecordLog<MetadataRecord> {
  const { metadata } = stores;
  const before = () => stores.flush();
  if (metadata === null) return noRecords(before);
  // Lines of `scrape` are settled by its own ledger.
  const isOwn = (record: MetadataRecord): boolean => !isFromSpool(record);
  return metadataRecords({ metadata, before, isOwn, isShared: existsSync(paths.scrapeLedger.commits) });
}

/** Rejects what is not a URL: a mistyped seed must not vanish among the skipped URLs. */
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

/** The seeds, once the robots.txt of their hosts is known: the first verdicts need it. */
async function* seedSource(
  seeds: readonly string[],
  { policy, robots }: ArchiveProduct,
  context: CrawlContext,
): AsyncGenerator<Found<ArchiveMeta>[]> {
  for (const url of seeds) if (policy.policy(url) === null) await robots.load(url, false, context);
  if (seeds.length === 0) return;
  yield seeds.map((key) => ({ key, depth: 0, parent: 0, hops: 0, meta: policy.types.metaOf(key) }));
}
