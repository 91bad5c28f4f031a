/** Everything that an archive writes besides its ledger: opened, flushed and closed together. */
import { existsSync } from "node:fs";
import { TrawlError } from "../errors.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import { type Levels, Metrics, SCRAPER_NAMES } from "./archive-metrics.ts";
import type { ArchiveRun, RunOptions } from "./archive-run.ts";
import type { Exchange } from "./archive-visit.ts";
import type { ArchiveConfig } from "./config/archive-config.ts";
import { CsvLog, METRICS_HEADER, MetricsCsv } from "./csv-logs.ts";
import { FailureList, failuresPath } from "./failed-urls.ts";
import { requestHeaders } from "./fetch/archive-client.ts";
import { RunLog } from "./run-log.ts";
import { DiscoveriesWriter, type SpoolLimits } from "./spool/discoveries-writer.ts";
import { BlobStore } from "./store/blob-store.ts";
import { MetadataLog } from "./store/metadata.ts";
import { PagesLog } from "./store/pages-csv.ts";
import { choose, chooseWarc, warcsBeganAt, warcsBeginNow } from "./store/warc/warc-choice.ts";
import { WARC_MAX_BYTES, WarcWriter } from "./store/warc/warc-writer.ts";
import { Trajectory } from "./trajectory.ts";
import type { Workspace } from "./workspace.ts";

export interface StoresOptions {
  /** What is written: everything, discoveries only, or pages only. */
  mode: "archive" | "discover" | "scrape";
  clock: Clock;
  /** A log that already contains what `onNotice` is told. It stays open when the stores are closed. */
  log: RunLog;
  onNotice: (text: string) => void;
  levels: Levels;
  /** Whether to write WARCs from now on; null to continue as before. */
  warc: boolean | null;
  /** Whether to fetch what the pages need from now on; null to continue as before. */
  requisites: boolean | null;
  /** Name and version of the program, for the WARCs. */
  software: string;
}

interface Parts {
  log: RunLog;
  blobs: BlobStore;
  metadata: MetadataLog | null;
  failures: FailureList | null;
  metrics: Metrics;
  metricsCsv: MetricsCsv;
  trajectory: Trajectory | null;
  discoveries: DiscoveriesWriter | null;
  pages: PagesLog | null;
  warc: WarcWriter | null;
  requisites: boolean;
}

const GIGABYTE = 1_000_000_000;
const MEGABYTE = 1_000_000;

export class ArchiveStores {
  readonly log: RunLog;
  readonly blobs: BlobStore;
  /** Null when pages are not recorded. */
  readonly metadata: MetadataLog | null;
  /** The list of failed URLs, which the metadata proves; null without metadata. */
  readonly failures: FailureList | null;
  readonly metrics: Metrics;
  readonly metricsCsv: MetricsCsv;
  readonly trajectory: Trajectory | null;
  readonly discoveries: DiscoveriesWriter | null;
  /** Whether what the pages need is fetched too. */
  readonly requisites: boolean;
  /** The table that `scrape` writes; null for other runs, whose metadata holds all of it. */
  readonly pages: PagesLog | null;
  /** Null when no WARC is written. */
  readonly keepExchange: ((exchange: Exchange) => Promise<void>) | null;
  /** Whether a 304 for this page would do: if WARCs are written, one of them must have the page. */
  readonly isKept: (sha256: string) => boolean;
  readonly #warc: WarcWriter | null;

  static async open(workspace: Workspace, options: StoresOptions): Promise<ArchiveStores> {
    const { mode, clock, log, onNotice, levels } = options;
    const { paths, settings } = workspace;
    const { config } = settings;
    const opened: { close(): Promise<void> }[] = [];
    const keep = <T extends { close(): Promise<void> }>(part: T): T => {
      opened.push(part);
      return part;
    };
    const onError = (error: Error) => onNotice(error.message);
    try {
      // Opening repairs a torn last line. A run that records nothing leaves that to the next run that does.
      const metadata = mode === "discover" ? null : keep(await MetadataLog.open(paths.metadata, onNotice));
      const failures = metadata === null ? null : keep(await FailureList.open(failuresPath(paths.ledger), clock));
      const metrics = new Metrics(levels);
      const rows = await CsvLog.open(
        mode === "scrape" ? paths.scraperMetricsCsv : paths.metricsCsv,
        METRICS_HEADER,
        onError,
      );
      const metricsCsv = keep(new MetricsCsv(rows, metrics, clock, mode === "scrape" ? SCRAPER_NAMES : null));
      const pages = mode === "scrape" ? keep(await PagesLog.open(paths.pagesCsv, onError)) : null;
      const ledgers = [paths.ledger, paths.discoverLedger];
      const trajectory =
        config.trajectory.enabled && mode !== "scrape"
          ? keep(await Trajectory.open({ path: paths.edgesCsv, ledgers, onError }))
          : null;
      const spooled = (config.spool.enabled && mode === "archive") || mode === "discover";
      const discoveries = spooled ? keep(await DiscoveriesWriter.open(paths, spoolLimits(config), clock)) : null;
      const requisites = await chooseRequisites(workspace, options);
      const asked = options.warc ?? (config.storage.warc || requisites || null);
      const isWarc = await chooseWarc({ path: paths.warcChoice, folder: paths.warc, asked, onNotice });
      const warc = isWarc && mode !== "discover" ? keep(await openWarc(workspace, options)) : null;
      metricsCsv.start(config.metrics.flush_interval_sec);
      const blobs = workspaceBlobs(workspace);
      const parts = { log, blobs, metadata, failures, metrics, metricsCsv, trajectory, discoveries, pages, warc };
      return new ArchiveStores({ ...parts, requisites: requisites && warc !== null }, config);
    } catch (error) {
      await Promise.allSettled(opened.map((part) => part.close()));
      throw error;
    }
  }

  private constructor(parts: Parts, config: ArchiveConfig) {
    this.log = parts.log;
    this.blobs = parts.blobs;
    this.metadata = parts.metadata;
    this.failures = parts.failures;
    this.metrics = parts.metrics;
    this.metricsCsv = parts.metricsCsv;
    this.trajectory = parts.trajectory;
    this.discoveries = parts.discoveries;
    this.pages = parts.pages;
    this.#warc = parts.warc;
    this.requisites = parts.requisites;
    const { warc } = parts;
    this.isKept = (sha256) => warc === null || warc.holds(sha256);
    const headers = requestHeaders(config);
    this.keepExchange =
      warc === null
        ? null
        : async ({ at, url, conditions, response, unchangedSha256, isPage }) => {
            const request = { method: "GET", url, headers: [...headers, ...conditions] };
            await warc.write({ at, request, response, unchangedSha256, isPage });
          };
  }

  /** Resolves when everything that belongs to pages about to be settled is on the disk. */
  async flush(): Promise<void> {
    await Promise.all([this.trajectory?.flush(), this.discoveries?.flush()]);
  }

  async close(): Promise<void> {
    const parts = [
      this.metricsCsv,
      this.trajectory,
      this.discoveries,
      this.pages,
      this.#warc,
      this.failures,
      this.metadata,
    ];
    const results = await Promise.allSettled(parts.map((part) => part?.close()));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
}

function chooseRequisites(
  { paths, settings }: Workspace,
  { requisites, warc, onNotice }: StoresOptions,
): Promise<boolean> {
  const asked = requisites ?? (settings.config.requisites.enabled || null);
  if (asked === true && warc === false) {
    throw new TrawlError("BAD_USAGE", "What the pages need is kept in WARC files: --requisites needs --warc.");
  }
  // The choice is gone, but what it led to is still there.
  const ifNever = async () => existsSync(paths.requisiteLedger.seal);
  return choose({ path: paths.requisitesChoice, name: "requisites", asked, ifNever, onNotice });
}

/** The pages of a workspace. */
export const workspaceBlobs = ({ paths, settings }: Workspace): BlobStore =>
  new BlobStore({
    root: paths.htmlStore,
    recordedRoot: paths.recordedStore,
    compress: settings.config.storage.html_compress,
    permissions: settings.config.storage.html_permissions,
  });

export const spoolLimits = ({ spool }: ArchiveConfig): SpoolLimits => ({
  rotateBytes: spool.rotate_every_mb * MEGABYTE,
  // `scrape` refuses a spool that is too large, so this run would wait for ever.
  budgetBytes: Math.min(spool.budget_gb, 0.9 * spool.max_backlog_gb) * GIGABYTE,
});

async function openWarc(
  { paths, settings }: Workspace,
  { clock, onNotice, software }: StoresOptions,
): Promise<WarcWriter> {
  if ((await warcsBeganAt(paths)) === null) await warcsBeginNow(paths);
  return WarcWriter.open({
    folder: paths.warc,
    info: {
      software,
      "http-header-user-agent": settings.config.user_agent,
      robots: "obey",
      isPartOf: settings.profile.name,
    },
    maxBytes: WARC_MAX_BYTES,
    now: () => clock.now(),
    onNotice,
  });
}

/** Opens the stores of a run, after its log. Metrics ask `current` for the values that go up and down. */
export async function openStores(
  { workspace, clock = systemClock, events = {}, warc, requisites, software = "trawl" }: RunOptions,
  mode: StoresOptions["mode"],
  current: () => ArchiveRun | null,
): Promise<ArchiveStores> {
  const { paths, settings } = workspace;
  const log = new RunLog(mode === "scrape" ? paths.scraperLog : paths.crawlerLog, settings.config.log, clock);
  log.write("info", `${COMMANDS[mode]} of ${settings.hosts.join(", ")}, by ${software}`);
  try {
    return await ArchiveStores.open(workspace, {
      mode,
      clock,
      warc: warc ?? null,
      requisites: requisites ?? null,
      software,
      log,
      onNotice: log.telling(events.onNotice),
      levels: {
        frontier_size: () => current()?.openPages ?? 0,
        in_flight: () => current()?.crawl?.inFlight ?? 0,
        paused: () => (current()?.isPaused ? 1 : 0),
      },
    });
  } catch (error) {
    log.failed(error);
    throw error;
  }
}

const COMMANDS: Record<StoresOptions["mode"], string> = {
  archive: "run",
  discover: "run --discover",
  scrape: "scrape",
};
