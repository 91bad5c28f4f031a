/**
 * `trawl archive scrape`: fetches what a spool lists and the store lacks. The spool is read in rounds, each a crawl of
 * its own that ends where the spool ends; with `follow`, another round begins when the spool grows.
 */
import type { CrawlEnd } from "../../kernel/crawl.ts";
import { SeenTable } from "../../kernel/seen.ts";
import type { Verdict } from "../../kernel/task.ts";
import { FROM_SPOOL, isFromSpool, metadataRecords } from "../archive-record.ts";
import { ArchiveRun, type RunOptions } from "../archive-run.ts";
import { CRAWLER_SUFFIX, clearStop, type PauseReason } from "../control/watch.ts";
import type { CrawlKind } from "../crawl-kind.ts";
import { type FindSink, metricOf } from "../discovery-kinds.ts";
import type { RecordLog } from "../ledger/record-log.ts";
import type { RestingHost } from "../resting-hosts.ts";
import type { MetadataRecord } from "../store/metadata-record.ts";
import { type ArchiveStores, openStores, spoolLimits } from "../stores.ts";
import {
  BOOKMARK_NOTE,
  type Bookmark,
  bookmarkedLedger,
  earlierOf,
  readBookmark,
  readSpool,
  SPOOL_START,
  spoolBytes,
} from "./spool-files.ts";
import { SpoolProblemLog, type SpoolProblems } from "./spool-problems.ts";
import { makeRoom } from "./spool-room.ts";
import { spoolSource } from "./spool-source.ts";
import { checkSpool, spoolDamaged } from "./spool-sums.ts";
import { Underway } from "./underway.ts";

export interface ScrapeOptions extends RunOptions {
  /** Continues when the spool grows, until stopped. */
  follow: boolean;
  /** Reads the spool from its first file, and requests stored pages again, conditionally. */
  refresh?: boolean;
}

export interface ScrapeProgress {
  /** Discoveries read, and how many of them were already in the store, refused by the policy, or damaged. */
  read: number;
  stored: number;
  refused: number;
  damaged: number;
  fetched: number;
  /** As above, without earlier runs. */
  fetchedNow: number;
  failed: number;
  open: number;
  inFlight: number;
  pauses: PauseReason[];
  resting: RestingHost[];
}

const LOOK_AGAIN_MS = 500;
const BACKLOG_AGAIN_MS = 10_000;
/** How often the spool is measured while it is read. */
const ROOM_AGAIN_MS = 1_000;
const GIGABYTE = 1_000_000_000;

/** The run that filled the spool has already applied the caps. */
const NO_CAPS = { per_repo_max_pages: 0, max_depth: 0 };

export class Scrape extends ArchiveRun {
  readonly #follow: boolean;
  readonly #ended: Promise<CrawlEnd>;
  readonly #refresh: boolean;
  readonly #refreshed = new SeenTable();
  readonly #problems: SpoolProblemLog;
  /** Fetched, failed and left open, in the rounds that have ended. */
  readonly #progress = { read: 0, stored: 0, fetched: 0, failed: 0, open: 0 };
  /** Makes room in the spool; one at a time. */
  #room: Promise<void> = Promise.resolve();
  #roomAt = 0;
  #stopping = false;
  #wake: (() => void) | null = null;

  static async start(options: ScrapeOptions): Promise<Scrape> {
    await clearStop(options.workspace.root, CRAWLER_SUFFIX);
    let scrape: Scrape | null = null;
    const stores = await openStores(options, "scrape", () => scrape);
    scrape = new Scrape(options, stores);
    return scrape;
  }

  private constructor(options: ScrapeOptions, stores: ArchiveStores) {
    super(options, stores, CRAWLER_SUFFIX);
    this.#follow = options.follow;
    this.#refresh = options.refresh ?? false;
    const { spool, spoolProblems } = options.workspace.paths;
    this.#problems = new SpoolProblemLog(spool, spoolProblems, this.onNotice);
    this.#ended = this.#run()
      .catch((error: unknown): CrawlEnd => ({ state: "failed", parked: [], error }))
      .then(async (end) => {
        await this.#problems.close();
        return this.close(end);
      });
  }

  get ended(): Promise<CrawlEnd> {
    return this.#ended;
  }

  /** Lines that are not fetched; complete at the end. */
  get problems(): SpoolProblems {
    return this.#problems.found;
  }

  progress(): ScrapeProgress {
    const round = this.pagesCrawl?.meters;
    const fetched = this.#progress.fetched + (round?.settledNow ?? 0);
    return {
      ...this.#progress,
      refused: this.problems.refused,
      damaged: this.problems.damaged,
      fetched,
      fetchedNow: fetched,
      failed: this.#progress.failed + (round?.failedNow ?? 0),
      open: round?.open ?? this.#progress.open,
      inFlight: this.crawl?.inFlight ?? 0,
      pauses: this.pauses,
      resting: this.resting(),
    };
  }

  stop(): Promise<CrawlEnd> {
    this.#stopping = true;
    this.isStopping = true;
    this.crawl?.stop();
    this.#wake?.();
    return this.#ended;
  }

  override finish(): Promise<CrawlEnd> {
    // No other round begins in the meantime.
    this.#stopping = true;
    return super.finish();
  }

  async #run(): Promise<CrawlEnd> {
    const { paths, settings } = this.workspace;
    const { spool } = settings.config;
    await this.watch();
    await this.#refuseDamage();
    let end: CrawlEnd = { state: "completed", parked: [], error: null };
    for (let round = 0; !this.#stopping; round++) {
      if (await this.#hasTooMuch(spool.max_backlog_gb * GIGABYTE)) {
        await this.#sleep(BACKLOG_AGAIN_MS);
        continue;
      }
      const isAgain = this.#refresh && round === 0;
      const from = isAgain ? SPOOL_START : await readBookmark(paths.bookmark, this.onNotice);
      // The first round also continues what an earlier run left open.
      if (round === 0 || (await this.#hasMore(from))) end = await this.#round(from);
      if (end.error !== null) return end;
      if (!this.#follow) return this.fetchRequisites(end);
      await this.#sleep(LOOK_AGAIN_MS);
    }
    return { ...end, state: "stopped" };
  }

  /** A lost or changed line means a page that would never be fetched. */
  async #refuseDamage(): Promise<void> {
    const { paths } = this.workspace;
    const read = await readBookmark(paths.bookmark, this.onNotice);
    const from = this.#refresh ? SPOOL_START : read;
    for await (const damage of checkSpool(paths, read, from)) throw spoolDamaged(paths.spool, damage);
  }

  async #round(from: Bookmark): Promise<CrawlEnd> {
    const underway = new Underway();
    const crawl = this.createCrawl(this.#kind(from, underway));
    try {
      if (this.isPaused) void crawl.pause();
      await crawl.start();
      return await crawl.ended;
    } finally {
      const { fetched, failed, open } = this.progress();
      Object.assign(this.#progress, { fetched, failed, open });
      this.forgetCrawl();
      await this.#room;
      await this.#makeRoom(underway);
    }
  }

  /** A crawl over the spool, from a bookmark to its end, that follows no links. */
  #kind(from: Bookmark, underway: Underway): CrawlKind {
    const { paths, settings } = this.workspace;
    let start = from;
    return {
      paths: paths.scrapeLedger,
      records: this.#records(),
      around: (ledger) => {
        const bookmarked = bookmarkedLedger(
          ledger,
          paths.bookmark,
          (url, id) => underway.leftOpen(url, id),
          undefined,
          (batch, bookmark) => {
            underway.committed(batch, bookmark);
            if (bookmark !== null || batch.settled.length > 0) this.#makeRoomSoon(underway);
          },
        );
        const open: typeof bookmarked.open = async (onKnown) => {
          const recovered = await bookmarked.open(onKnown);
          start = this.#startOf(from, recovered.notes.get(BOOKMARK_NOTE)?.value);
          return recovered;
        };
        return { ...bookmarked, open };
      },
      referrerOf: ({ key }) => underway.originOf(key)?.referrer ?? null,
      extraOf: ({ key }) => ({ ...underway.originOf(key)?.metadata, ...FROM_SPOOL }),
      finds: this.#finds(underway),
      storesPages: true,
      adapt: (adapted) => ({ ...adapted, caps: NO_CAPS }),
      source: ({ types, canonicalize }, { note }) =>
        spoolSource({
          folder: paths.spool,
          from: () => start,
          batchSize: settings.config.spool.bookmark_every,
          canonicalize,
          types,
          underway,
          isRefetch: this.#refresh,
          isStored: (url) => (this.#refresh ? this.#isRefreshed(url) : this.#isStored(url)),
          note,
          onItem: (result) => {
            this.#progress.read++;
            if (result === "stored") this.#progress.stored++;
          },
          onDamaged: (place, why) => {
            this.#progress.read++;
            this.#problems.add(place, "damaged", null, why);
          },
        }),
    };
  }

  /** The run that fills the spool follows links. */
  #finds(underway: Underway): FindSink {
    const refused = (url: string, { reason, rule }: Verdict): void => {
      const origin = underway.originOf(url);
      if (origin !== null) this.#problems.add(origin, "refused", url, `${reason}: ${rule}`);
    };
    return {
      decided: (verdict, { key }) => {
        this.stores.metrics.increment(metricOf(verdict));
        if (verdict.action !== "crawl") refused(key, verdict);
      },
      refused,
      offerAll: () => {},
    };
  }

  /** Lines of the metadata, each with its row in the table of pages. */
  #records(): RecordLog<MetadataRecord> {
    const metadata = this.stores.metadata!;
    const { ledger: other, scrapeLedger: own } = this.workspace.paths;
    const log = metadataRecords({ metadata, before: async () => {}, isOwn: isFromSpool, own, other });
    return {
      get mark() {
        return log.mark;
      },
      append: async (records) => {
        const mark = await log.append(records);
        this.stores.pages?.add(records);
        return mark;
      },
      recover: (committed) => log.recover(committed),
    };
  }

  /** A bookmark that is ahead of the ledger would skip discoveries that were never read. */
  #startOf(bookmark: Bookmark, noted: string | undefined): Bookmark {
    if (noted === undefined) return bookmark;
    const start = earlierOf(bookmark, JSON.parse(noted) as Bookmark);
    if (start !== bookmark) {
      const { file, offset } = start;
      this.onNotice(
        `${this.workspace.paths.bookmark} is ahead of what was read; reading from ${file}, byte ${offset}.`,
      );
    }
    return start;
  }

  #makeRoomSoon(underway: Underway): void {
    if (this.clock.now() < this.#roomAt) return;
    this.#roomAt = this.clock.now() + ROOM_AGAIN_MS;
    this.#room = this.#room.then(() => this.#makeRoom(underway));
  }

  async #makeRoom(underway: Underway): Promise<void> {
    const { paths, settings } = this.workspace;
    try {
      const { budgetBytes } = spoolLimits(settings.config);
      const bookmark = await readBookmark(paths.bookmark, this.onNotice);
      await makeRoom({ folders: paths, bookmark, isOver: (file) => underway.isOver(file), budgetBytes });
    } catch (error) {
      this.onNotice(`No room could be made in ${paths.spool}: ${(error as Error).message}`);
    }
  }

  /** A page that the spool names twice is requested once. */
  async #isRefreshed(url: string): Promise<boolean> {
    const isKnown = this.#refreshed.get(url) !== 0;
    this.#refreshed.set(url, 1);
    return isKnown;
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
